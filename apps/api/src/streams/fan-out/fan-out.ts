import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import type { Tracer } from '@widget-service/shared/tracing/tracer.ts';
import { Hub, type HubOptions } from './hub.ts';
import { makeReadLog, makeReadPage, type ReadPage } from './log-reader.ts';
import { Ring } from './ring.ts';
import { slowClientDefaults } from './slow-client.ts';
import { createTailTask, type TailDeps } from './tail.ts';

/** Limits and intervals of a pod's streams, and the size of its ring. */
export interface FanOutOptions extends HubOptions {
  /** How many of the newest events the ring holds at most. */
  readonly ringFrames: number;
  /** How many bytes of the newest events the ring holds at most. */
  readonly ringBytes: number;
}

/** The service runs with these. Tests use other values. */
export const fanOutDefaults: FanOutOptions = {
  // Ten seconds at 1 000 events a second: a client that reconnects within this time costs no read of the event log.
  ringFrames: 10_000,
  // Ten thousand events of 3 KiB. docs/kubernetes.md counts these 32 MiB in the memory of a pod.
  ringBytes: 32 * 1024 * 1024,
  // Proxies end connections that are silent for 30 s to 60 s. A client may miss one heartbeat before it gives up.
  heartbeatIntervalMs: 15_000,
  // Clients reconnect and spread over the pods. Otherwise streams pile up on old pods after a pod is added.
  lifetimeMs: 30 * 60_000,
  ...slowClientDefaults,
};

export interface FanOutDeps {
  readonly backend: Pick<Backend, 'eventLog' | 'runs'>;
  /** Default: `fanOutDefaults`. */
  readonly options?: Partial<FanOutOptions> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'eventsSent' | 'streamBytesSent'> & TailDeps['metrics'];
  /** Default: no tracing. */
  readonly tracer?: Tracer;
}

/**
 * Brings events from the event log to the pod's streams: the tail reads them, the ring keeps the newest, the hub sends
 * them.
 */
export class FanOut {
  readonly options: FanOutOptions;
  readonly ring: Ring;
  readonly hub: Hub;
  readonly #deps: FanOutDeps;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
    const { backend, clock, metrics } = deps;
    this.options = { ...fanOutDefaults, ...deps.options };
    const { ringFrames: frames, ringBytes: bytes } = this.options;
    this.ring = new Ring({ frames, bytes });
    this.hub = new Hub({
      ring: this.ring,
      readLog: makeReadLog(backend.eventLog, this.#makeReadPage()),
      clock,
      options: this.options,
      onSweep: (sent) => {
        metrics.eventsSent.inc(sent.events);
        metrics.streamBytesSent.inc(sent.bytes);
      },
    });
  }

  /**
   * Creates the task that reads new events into the ring as long as the pod runs. It awaits `waitUntilFresh` before it
   * passes new events on (see `TailDeps`).
   */
  createTail(waitUntilFresh: () => Promise<void>): Task {
    const { backend, ...deps } = this.#deps;
    const { eventLog, runs } = backend;
    const { ring, hub } = this;
    return createTailTask({ ...deps, eventLog, runs, readPage: this.#makeReadPage(), ring, hub, waitUntilFresh });
  }

  /** Resolves when the ring has a position, or after `withinMs` milliseconds. */
  async waitForPosition(withinMs: number): Promise<void> {
    for (let waitedMs = 0; this.ring.position() === null && waitedMs < withinMs; waitedMs += 10)
      await this.#deps.clock.sleep(10);
  }

  /**
   * Makes a `ReadPage` whose pages fit the unsent limit: a connection accepts no more at once, so the rest of a larger
   * page would be read again. The tail and the replay have one each, because old and new events may differ in size.
   * This also bounds memory: up to 20 replay pages are read at once (`maxConcurrentReads`).
   */
  #makeReadPage(): ReadPage {
    return makeReadPage(this.options.unsentLimitBytes);
  }
}
