import type { FilterableEvent } from '@widget-service/shared/domain/event-filter.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { CloudEvent, ReceivedEvent } from '../drivers/cluster/recording.ts';
import type { Evidence } from './evidence.ts';

/** An event as it was published at one position. */
export interface PublishedEvent extends FilterableEvent {
  readonly epoch: string;
  readonly seq: number;
  readonly eventId: string;
  readonly origin: 'api' | 'hook';
  /** The widget's version after the event. Null if the event concerns no known widget. */
  readonly version: number | null;
  readonly json: string;
}

/** Everything that was ever published: what the log holds, and what streams received that the log no longer holds. */
export interface EventHistory {
  /** The events of each epoch, in order. */
  readonly epochs: ReadonlyMap<string, readonly PublishedEvent[]>;
  readonly byEventId: ReadonlyMap<string, readonly PublishedEvent[]>;
}

const histories = new WeakMap<Evidence, EventHistory>();

export function collectEventHistory(evidence: Evidence): EventHistory {
  const known = histories.get(evidence);
  if (known !== undefined) return known;
  const history = collect(evidence);
  histories.set(evidence, history);
  return history;
}

function collect({ stored, recording }: Evidence): EventHistory {
  const byPosition = new Map<string, Map<number, PublishedEvent>>();
  const add = (epoch: string, seq: number, makeEvent: () => PublishedEvent) => {
    const events = byPosition.get(epoch) ?? new Map<number, PublishedEvent>();
    byPosition.set(epoch, events);
    if (!events.has(seq)) events.set(seq, makeEvent());
  };
  for (const record of stored.log) add(record.epoch, record.seq, () => parseLogRecord(record));
  for (const { connections } of recording.streams) {
    for (const { blocks } of connections) {
      for (const block of blocks) {
        if (block.type === 'event') add(block.epoch, block.seq, () => parseReceivedEvent(block));
      }
    }
  }
  const epochs = new Map<string, PublishedEvent[]>();
  const byEventId = new Map<string, PublishedEvent[]>();
  for (const [epoch, events] of byPosition) {
    epochs.set(
      epoch,
      [...events.values()].sort((a, b) => a.seq - b.seq),
    );
    for (const event of events.values()) byEventId.set(event.eventId, [...(byEventId.get(event.eventId) ?? []), event]);
  }
  return { epochs, byEventId };
}

function parseLogRecord({ epoch, seq, event }: LogRecord): PublishedEvent {
  const { data } = JSON.parse(event.json) as CloudEvent;
  return { ...event, epoch, seq, origin: data.origin, version: data.widget?.version ?? null };
}

function parseReceivedEvent({ epoch, seq, data: json, event }: ReceivedEvent): PublishedEvent {
  const { origin, stateChanged, widget } = event.data;
  const before = origin === 'hook' && stateChanged ? 'active' : (widget?.state ?? null);
  return {
    ...{ epoch, seq, json, origin, eventId: event.id, type: event.type as FilterableEvent['type'] },
    widgetId: event.subject ?? null,
    state: widget?.state ?? null,
    stateBefore: origin === 'api' ? null : before,
    labels: widget?.labels ?? null,
    version: widget?.version ?? null,
  };
}
