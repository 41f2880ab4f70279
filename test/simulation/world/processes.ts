import { renderWidgetBody } from '@widget-service/api/schemas/widget.ts';
import { Chunk } from '@widget-service/api/streams/fan-out/chunk.ts';
import { FanOut, type FanOutOptions } from '@widget-service/api/streams/fan-out/fan-out.ts';
import { openingBytes, randomWithin } from '@widget-service/api/streams/fan-out/frame.ts';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { findStreamStart } from '@widget-service/shared/usecases/events/find-stream-start.ts';
import { acceptHook, type HookSubmission } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import {
  type CreateWidgetInput,
  type CreateWidgetOutcome,
  createWidget,
} from '@widget-service/shared/usecases/widgets/create-widget.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';
import type { PlanSettings } from './plan.ts';
import type { SimulatedSocket } from './simulated-socket.ts';
import { StreamWatch } from './stream-watch.ts';

/** Traces the messages of warnings and errors, and drops the rest. */
function createTracingLogger(trace: (text: string) => void): Logger {
  const logMessage = (details: unknown, message: string) => {
    const { reason, err } = details as { reason?: unknown; err?: { internalMessage?: string; message?: string } };
    trace(`${message} ${String(reason ?? err?.internalMessage ?? err?.message ?? '')}`);
  };
  return { info: () => undefined, debug: () => undefined, warn: logMessage, error: logMessage } as unknown as Logger;
}

const ignore = () => undefined;
const noMetric = { inc: ignore, dec: ignore, set: ignore, observe: ignore, labels: () => noMetric };
/** Metrics that count nothing. */
const noMetrics = new Proxy({}, { get: () => noMetric }) as Metrics;

export interface RunningProcess {
  readonly process: SimulatedProcess;
  /** Stops like after SIGTERM. */
  stop(): Promise<void>;
}

/** The real tasks of a worker under the real supervisor. Call it inside `process`. */
export function startWorker(
  process: SimulatedProcess,
  ports: SimulatedPorts,
  trace: (text: string) => void,
): RunningProcess {
  const logger = createTracingLogger((text) => trace(`${process.name}: ${text}`));
  const { clock } = process;
  const backend = ports as unknown as Backend;
  const tasks = createWorkerTasks({ backend, clock, logger, metrics: noMetrics });
  const onFailure = (task: string, error: unknown) => trace(`${process.name}: ${task} failed: ${String(error)}`);
  const supervisor = new Supervisor(tasks, clock, onFailure);
  supervisor.start();
  return { process, stop: () => supervisor.stop() };
}

const heartbeatIntervalMs = 5_000;
const drainWindowMs = 2_000;

export interface Pod extends RunningProcess {
  acceptHook(submission: HookSubmission): Promise<string>;
  createWidget(input: Omit<CreateWidgetInput, 'renderBody'>): Promise<CreateWidgetOutcome>;
  /** Returns false if the pod cannot find the start position: the client must reconnect. */
  openStream(lastEventId: string | null, isFiltered: boolean, socket: SimulatedSocket): Promise<boolean>;
  /** Checks that the ring and the streams are consistent. */
  checkStreams(nowMs: number): void;
}

export interface PodOptions {
  readonly process: SimulatedProcess;
  readonly ports: SimulatedPorts;
  readonly settings: PlanSettings;
  readonly createUuid: () => string;
  readonly reportViolation: (violation: string) => void;
  readonly trace: (text: string) => void;
}

const someFilter: EventFilter = { ...noFilter, types: ['widget.created', 'widget.retired'] };

/**
 * A pod without its HTTP routes: group commit, use cases, tail, ring and hub are the real code. Call it inside
 * `process`.
 */
export function startPod({ process, ports, settings, createUuid, reportViolation, trace }: PodOptions): Pod {
  const { clock } = process;
  const logger = createTracingLogger((text) => trace(`${process.name}: ${text}`));
  const fanOut = new FanOut({
    backend: ports,
    options: chooseStreamOptions(settings),
    clock,
    logger,
    metrics: noMetrics,
  });
  const onFailure = (task: string, error: unknown) => trace(`${process.name}: ${task} failed: ${String(error)}`);
  const watch = new StreamWatch(process, fanOut.ring, reportViolation);
  // Entitlements are not simulated.
  const tail = fanOut.createTail(async () => undefined);
  const supervisor = new Supervisor([tail], clock, onFailure);
  supervisor.start();
  const groupCommit = new GroupCommit(ports.hookQueue, clock, { createJobId: () => `job-${createUuid()}` });
  return {
    process,
    acceptHook: (submission) => acceptHook(groupCommit, submission, clock.now(), createUuid),
    createWidget: (input) =>
      createWidget({ ...ports, groupCommit, clock }, { ...input, renderBody: renderWidgetBody }, createUuid),
    openStream: async (lastEventId, isFiltered, socket) => {
      const start = await findStreamStart(ports.eventLog, fanOut.ring, lastEventId);
      if (start === null) return false;
      const sink = socket.sinkFor(process);
      sink.write(
        new Chunk(
          openingBytes({ subscriptionId: null, start, heartbeatIntervalMs, retryMs: randomWithin(2_000, 5_000) }),
        ),
      );
      // Like the route, which takes over the response and may verify the token again before the stream joins the hub.
      await clock.sleep(process.random.whole(0, settings.joinMaxMs));
      const filter = isFiltered ? someFilter : noFilter;
      const entitlement = {
        holder: { kind: 'subscription', id: 's' },
        tokenDigest: 'd',
        filter,
        validUntil: null,
      } as const;
      const { epoch } = start.position;
      const watched = watch.follow(sink, start.position, isFiltered);
      fanOut.hub.join({
        id: 'not listed here',
        address: null,
        sink: watched.sink,
        entitlement,
        epoch,
        cursor: start.position,
        onEnd: () => watched.forget(),
      });
      return true;
    },
    checkStreams: (nowMs) => watch.check(nowMs),
    stop: async () => {
      await fanOut.hub.drain(drainWindowMs);
      fanOut.hub.close();
      await supervisor.stop();
    },
  };
}

function chooseStreamOptions({ ringFrames, unsentLimitBytes, streamLifetimeMs }: PlanSettings): FanOutOptions {
  return {
    ringFrames,
    ringBytes: 1_000_000,
    heartbeatIntervalMs,
    lifetimeMs: streamLifetimeMs,
    unsentLimitBytes,
    stallMs: 8_000,
  };
}
