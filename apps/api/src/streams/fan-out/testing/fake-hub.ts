import { type EventFilter, type FilterableEvent, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { StreamEntitlement } from '../../../revocation/stream-entitlement.ts';
import type { Frame } from '../frame.ts';
import { Hub, type HubOptions } from '../hub.ts';
import { LogDiscontinuityError } from '../log-reader.ts';
import { Ring } from '../ring.ts';
import type { FakeSink } from './fake-sink.ts';

const defaultOptions: HubOptions = {
  heartbeatIntervalMs: 60_000,
  lifetimeMs: 60_000,
  unsentLimitBytes: 4_096,
  stallMs: 60_000,
};
const pageSize = 7;

/** Options of `openFakeHub`. Unnamed hub options are 60 s, and 4 096 unsent bytes. */
export interface FakeHubOptions {
  /** How many frames the ring holds. */
  readonly ringFrames: number;
  readonly options?: Partial<HubOptions>;
  readonly clock?: Clock;
  /** Every read of the log awaits it. By default it resolves in the next event-loop turn. */
  readonly beforeRead?: () => Promise<void>;
}

/** A hub over an event log in memory, for tests. Its epoch is `e1`; event n has the `ms` 1 000 + n. */
export interface FakeHub {
  readonly hub: Hub;
  readonly ring: Ring;
  /**
   * Appends `count` events to the log and the ring and notifies the hub. Each has the members of `event` and `size`
   * bytes of data.
   */
  append(count: number, event?: Partial<FilterableEvent>, size?: number): void;
  /** Joins a stream whose cursor is on event `seq`. */
  join(sink: FakeSink, seq: number, entitlement?: StreamEntitlement): void;
  joinAt(sink: FakeSink, position: LogPosition, entitlement?: StreamEntitlement): void;
  /** The `seq` that each read of the log started after. */
  readonly reads: readonly number[];
  /** Why streams have ended, in order. */
  readonly reasons: string[];
}

/** Opens a hub over an empty log. The log returns pages of at most 7 events. The caller must close the hub. */
export function openFakeHub({
  ringFrames,
  options,
  clock = systemClock,
  beforeRead = waitForImmediate,
}: FakeHubOptions): FakeHub {
  const log: Frame[] = [];
  const ring = new Ring({ frames: ringFrames, bytes: 1_000_000 });
  ring.reset({ epoch: 'e1', ms: 1_000, seq: 0 });
  const reads: number[] = [];
  const reasons: string[] = [];
  const hub = new Hub({
    ring,
    readLog: async (after) => {
      reads.push(after.seq);
      await beforeRead();
      const page = log.slice(after.seq, after.seq + pageSize);
      if (page[0] !== undefined && page[0].seq !== after.seq + 1) throw new LogDiscontinuityError();
      return page;
    },
    clock,
    options: { ...defaultOptions, ...options },
    onSweep: () => undefined,
  });
  const joinAt: FakeHub['joinAt'] = ({ sink }, { epoch, ...cursor }, entitlement = anEntitlement()) =>
    hub.join({
      id: crypto.randomUUID(),
      address: null,
      sink,
      entitlement,
      epoch,
      cursor,
      onEnd: (reason) => reasons.push(reason),
    });
  return {
    hub,
    ring,
    append: (count, event = {}, size = 20) => {
      for (let added = 0; added < count; added += 1) {
        const next = makeFrame(log.length + 1, event, size);
        log.push(next);
        ring.push(next);
      }
      hub.notify();
    },
    join: (sink, seq, entitlement) => joinAt(sink, { epoch: 'e1', ms: 1_000 + seq, seq }, entitlement),
    joinAt,
    reads,
    reasons,
  };
}

/** Resolves after the current turn of the event loop. */
export function waitForImmediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const defaultEvent: FilterableEvent = {
  type: 'widget.updated',
  widgetId: 'w',
  state: 'active',
  stateBefore: 'active',
  labels: [],
};

function makeFrame(seq: number, event: Partial<FilterableEvent>, size: number): Frame {
  const members = { ...defaultEvent, ...event };
  const text = `id: e1.${1_000 + seq}.${seq}\nevent: ${members.type}\ndata: ${'x'.repeat(size)}\n\n`;
  return { ms: 1_000 + seq, seq, previousMs: 999 + seq, bytes: Buffer.from(text), ...members };
}

/** The entitlement of a subscription, with these filter members and overrides. Without them it shows every event. */
export function anEntitlement(
  filter: Partial<EventFilter> = {},
  overrides: Partial<StreamEntitlement> = {},
): StreamEntitlement {
  return {
    holder: { kind: 'subscription', id: 'subscription' },
    tokenDigest: 'digest',
    filter: { ...noFilter, ...filter },
    validUntil: null,
    ...overrides,
  };
}
