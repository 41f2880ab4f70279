import type { FilterableEvent } from '@widget-service/shared/domain/event-filter.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { CloudEvent, SeenEvent } from '../drivers/recording.ts';
import type { Evidence } from './evidence.ts';

/** An event as it was told at one position. */
export interface ToldEvent extends FilterableEvent {
  readonly epoch: string;
  readonly seq: number;
  readonly eventId: string;
  readonly origin: 'api' | 'hook';
  /** Of the widget after it; null when no known widget is concerned. */
  readonly version: number | null;
  readonly json: string;
}

/** Everything that was ever told: what the log holds, and what streams were sent that it no longer holds. */
export interface History {
  /** Of each epoch, in order. */
  readonly epochs: ReadonlyMap<string, readonly ToldEvent[]>;
  readonly byEventId: ReadonlyMap<string, readonly ToldEvent[]>;
}

const made = new WeakMap<Evidence, History>();

export function historyOf(evidence: Evidence): History {
  const known = made.get(evidence);
  if (known !== undefined) return known;
  const history = collect(evidence);
  made.set(evidence, history);
  return history;
}

function collect({ stored, recording }: Evidence): History {
  const byPosition = new Map<string, Map<number, ToldEvent>>();
  const add = (epoch: string, seq: number, tell: () => ToldEvent) => {
    const events = byPosition.get(epoch) ?? new Map<number, ToldEvent>();
    byPosition.set(epoch, events);
    if (!events.has(seq)) events.set(seq, tell());
  };
  for (const record of stored.log) add(record.epoch, record.seq, () => toldByLog(record));
  for (const { connections } of recording.streams) {
    for (const { blocks } of connections) {
      for (const block of blocks) {
        if (block.type === 'event') add(block.epoch, block.seq, () => toldByStream(block));
      }
    }
  }
  const epochs = new Map<string, ToldEvent[]>();
  const byEventId = new Map<string, ToldEvent[]>();
  for (const [epoch, events] of byPosition) {
    epochs.set(
      epoch,
      [...events.values()].sort((a, b) => a.seq - b.seq),
    );
    for (const event of events.values()) byEventId.set(event.eventId, [...(byEventId.get(event.eventId) ?? []), event]);
  }
  return { epochs, byEventId };
}

function toldByLog({ epoch, seq, event }: LogRecord): ToldEvent {
  const { data } = JSON.parse(event.json) as CloudEvent;
  return { ...event, epoch, seq, origin: data.origin, version: data.widget?.version ?? null };
}

function toldByStream({ epoch, seq, data: json, event }: SeenEvent): ToldEvent {
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
