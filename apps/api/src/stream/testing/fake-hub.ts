import { type EventFilter, type FilterableEvent, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { StreamEntitlement } from '../../auth/stream-entitlement.ts';
import type { Frame } from '../frame.ts';
import { Hub, type HubOptions } from '../hub.ts';
import { LogDiscontinuityError } from '../log-reader.ts';
import { Ring } from '../ring.ts';
import type { FakeSink } from './fake-sink.ts';

const patient: HubOptions = {
  heartbeatIntervalMs: 60_000,
  lifetimeMs: 60_000,
  unsentLimitBytes: 4_096,
  stallMs: 60_000,
};
const pageSize = 7;

export interface FakeHubOptions {
  /** How many of the newest events the ring holds. */
  readonly ringFrames: number;
  readonly options?: Partial<HubOptions>;
  readonly clock?: Clock;
  /** Awaited by every read of the log. */
  readonly beforeRead?: () => Promise<void>;
}

/** A hub over a log in memory, for tests. */
export interface FakeHub {
  readonly hub: Hub;
  readonly ring: Ring;
  /** Puts so many events into the log and the ring, all like `event`. */
  append(count: number, event?: Partial<FilterableEvent>, size?: number): void;
  /** Opens a stream that stands after the event with this number. */
  join(sink: FakeSink, seq: number, right?: StreamEntitlement): void;
  joinAt(sink: FakeSink, position: LogPosition, right?: StreamEntitlement): void;
  /** After which numbers the log was read. */
  readonly reads: readonly number[];
  /** Why streams have ended. */
  readonly reasons: string[];
}

export function openFakeHub({
  ringFrames,
  options,
  clock = systemClock,
  beforeRead = nextTurn,
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
    options: { ...patient, ...options },
    onEventsSent: () => undefined,
  });
  const joinAt: FakeHub['joinAt'] = ({ sink }, { epoch, ...cursor }, entitlement = anEntitlement()) =>
    hub.join({ sink, entitlement, epoch, cursor, onEnd: (reason) => reasons.push(reason) });
  return {
    hub,
    ring,
    append: (count, event = {}, size = 20) => {
      for (let added = 0; added < count; added += 1) {
        const next = frame(log.length + 1, event, size);
        log.push(next);
        ring.push(next);
      }
      hub.notify();
    },
    join: (sink, seq, right) => joinAt(sink, { epoch: 'e1', ms: 1_000 + seq, seq }, right),
    joinAt,
    reads,
    reasons,
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const someEvent: FilterableEvent = {
  type: 'widget.updated',
  widgetId: 'w',
  state: 'active',
  stateBefore: 'active',
  labels: [],
};

function frame(seq: number, event: Partial<FilterableEvent>, size: number): Frame {
  const members = { ...someEvent, ...event };
  const text = `id: e1.${1_000 + seq}.${seq}\nevent: ${members.type}\ndata: ${'x'.repeat(size)}\n\n`;
  return { ms: 1_000 + seq, seq, previousMs: 999 + seq, bytes: Buffer.from(text), ...members };
}

/** The right of some subscription, with the members of a filter and whatever else matters. */
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
