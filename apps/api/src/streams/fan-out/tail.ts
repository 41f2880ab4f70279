import { UnreadableRowError } from '@widget-service/shared/domain/errors.ts';
import { isContiguous, isSamePosition, type LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import { resolveStreamStart } from '@widget-service/shared/domain/stream-start.ts';
import { readTraceId, type TraceContext } from '@widget-service/shared/domain/trace-context.ts';
import { readReceivedAtMs } from '@widget-service/shared/domain/widget-event.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { EventLog, EventTail, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import { noTracer, type Tracer } from '@widget-service/shared/tracing/tracer.ts';
import { toFrame } from './frame.ts';
import type { Hub } from './hub.ts';
import { IsolationDetector } from './isolation-detector.ts';
import { type ReadPage, seekToEnd } from './log-reader.ts';
import type { Ring } from './ring.ts';

export interface TailDeps {
  readonly eventLog: Pick<EventLog, 'openTail' | 'inspect' | 'append' | 'readUpTo'>;
  readonly runs: Pick<RunRegistry, 'startRun' | 'lastPosition'>;
  readonly readPage: ReadPage;
  readonly ring: Ring;
  readonly hub: Pick<Hub, 'notify' | 'connections' | 'end' | 'endAll' | 'size'>;
  /**
   * Awaited before each page of new events enters the ring. Resolves when the pod has applied all recent revocations,
   * so that the streams of revoked tokens have ended, or after 3 s (ADR 15).
   */
  readonly waitUntilFresh: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'eventDeliverySeconds' | 'tailHeldBackSeconds'>;
  /** Default: no tracing. */
  readonly tracer?: Tracer;
}

/** How long the tail may lack events of the log before the pod is not ready. */
const maxBehindMs = 10_000;
/** The pause after a failed read. */
const retryMs = 500;

/**
 * Creates the task that is the pod's one reader of the event log. It pushes every new event into the ring and notifies
 * the hub.
 *
 * While the log is unavailable, the streams stay open and wait. If only this pod cannot read it, the task ends the
 * streams with `unavailable`, so that the clients reconnect to another pod (ADR 13). If the log does not continue at
 * the ring's position, the task moves the ring to the log's end and ends the streams with `resync`.
 *
 * The pod is not ready until the task has its first position, and after it has been behind the log for 10 s.
 */
export function createTailTask(deps: TailDeps): Task {
  const { ring, clock, logger, hub, metrics } = deps;
  const isolation = new IsolationDetector(deps.runs, clock);
  const seek = () => seekToEnd(deps.eventLog, deps.runs, deps.readPage, ring);
  let behindSinceMs: number | null = null;

  /**
   * Compares the tail's position with the log, and resyncs if the log does not continue there: a tail ahead of a
   * restored log would wait for ever. Also ends the streams at positions that the log has lost.
   */
  async function verify(position: LogPosition): Promise<void> {
    // Taken before the inspection: a stream that joins during it may be ahead of what it sees, and has lost nothing.
    const ahead = [...hub.connections()].filter(({ cursor }) => cursor.seq > position.seq);
    const inspection = await deps.eventLog.inspect(position);
    if (inspection === null) return resync('the event log no longer exists');
    const { gap } = resolveStreamStart(formatPosition(position), inspection.extent, inspection.contains);
    if (gap !== null) return resync(gap.reason);
    const { last } = inspection.extent;
    for (const connection of ahead) if (connection.cursor.seq > last.seq) hub.end(connection, 'resync');
    if (last.seq === position.seq) behindSinceMs = null;
    else behindSinceMs ??= clock.monotonicMs();
  }

  async function resync(reason: string): Promise<void> {
    logger.warn({ reason, position: ring.position() }, 'tail.resync');
    // If `seek` throws, the log is unavailable: the ring is unchanged and the streams stay open.
    await seek();
    hub.endAll('resync');
  }

  async function readOnce(reader: EventTail, signal: AbortSignal): Promise<void> {
    const position = ring.position();
    if (position === null) return seek();
    const records = await readNext(deps, reader, position);
    if (records === null) {
      if (!(await isAtEnd(deps, position))) return resync('the next event is damaged');
      // A foreign entry stands after the last event. The next event gets an id after it.
      return clock.sleep(retryMs, signal);
    }
    if (records.length === 0) return verify(position);
    if (!isContiguous(position, records)) return resync('the event log does not continue at the position of the tail');
    const readAt = clock.now();
    const readAtMs = clock.monotonicMs();
    await deps.waitUntilFresh();
    metrics.tailHeldBackSeconds.inc((clock.monotonicMs() - readAtMs) / 1_000);
    for (const record of records) ring.push(toFrame(record));
    behindSinceMs = null;
    hub.notify(() => recordDelivery(deps, records, readAt));
  }

  async function handleFailure(error: unknown, signal: AbortSignal): Promise<void> {
    logger.warn({ err: error }, 'tail.unavailable');
    await clock.sleep(retryMs, signal);
    const position = ring.position();
    // The log may be back and have lost events. If it is not back, the next read fails and is logged.
    if (position !== null) await verify(position).catch(() => undefined);
    if (!(await isolation.recordFailure())) return;
    logger.warn({}, 'tail.isolated');
    hub.endAll('unavailable');
  }

  return {
    name: 'tail',
    stores: ['events'],
    run: async (signal) => {
      const reader = deps.eventLog.openTail();
      signal.addEventListener('abort', () => void reader.close(), { once: true });
      try {
        while (!signal.aborted) {
          await readOnce(reader, signal).then(
            () => isolation.recordSuccess(),
            (error: unknown) => (signal.aborted ? undefined : handleFailure(error, signal)),
          );
        }
      } finally {
        await reader.close();
      }
    },
    unreadyReason: () => {
      if (ring.position() === null) return 'has not read the end of the event log yet';
      const isBehind = behindSinceMs !== null && clock.monotonicMs() - behindSinceMs > maxBehindMs;
      return isBehind ? 'has been behind the event log for more than 10 s' : null;
    },
  };
}

/** Null: the next event is damaged. */
function readNext({ readPage }: TailDeps, reader: EventTail, position: LogPosition): Promise<LogRecord[] | null> {
  return readPage((limit) => reader.next(position, limit)).catch((error: unknown) => {
    if (error instanceof UnreadableRowError) return null;
    throw error;
  });
}

async function isAtEnd({ eventLog }: TailDeps, position: LogPosition): Promise<boolean> {
  const inspection = await eventLog.inspect(null);
  return inspection !== null && isSamePosition(inspection.extent.last, position);
}

/** Measures the delay of events that the fan-out has written to the streams. They were read at `readAt`. */
function recordDelivery(deps: TailDeps, records: readonly LogRecord[], readAt: Date): void {
  const nowMs = deps.clock.now().getTime();
  const delay = deps.metrics.eventDeliverySeconds.labels({});
  for (const { event } of records) {
    const { traceContext } = event;
    if (traceContext !== undefined) traceWrite(deps, event.eventId, traceContext, readAt);
    const receivedAtMs = readReceivedAtMs(event);
    if (receivedAtMs === null) continue;
    const traceId = traceContext === undefined ? undefined : readTraceId(traceContext);
    // Not negative: the clock of the pod that accepted the hook may be ahead.
    delay.observe(Math.max(0, nowMs - receivedAtMs) / 1_000, traceId);
  }
}

/** Records the span from the read of an event to its first write to the streams of this pod. */
function traceWrite({ tracer = noTracer, hub }: TailDeps, eventId: string, parent: TraceContext, readAt: Date): void {
  const attributes = { 'widget.event.id': eventId, 'widget.streams.open': hub.size() };
  tracer.startChild(parent, 'write event', { kind: 'consumer', attributes, startedAtMs: readAt.getTime() })?.end();
}
