import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import { expect } from 'vitest';
import type { CloudEvent as RecordedEvent } from '../drivers/recording.ts';
import type { StreamClient, StreamEvent } from '../drivers/stream-client.ts';

type CloudEvent = Omit<RecordedEvent, 'data'> & {
  readonly data: Omit<RecordedEvent['data'], 'widget'> & {
    readonly widget: { readonly state: 'active' | 'retired'; readonly labels: readonly string[] } | null;
  };
};

/** No event that a stream was sent lies outside its subscription's filter, going by what the event itself says. */
export function expectNothingOutside(filter: EventFilter, events: readonly StreamEvent[]): void {
  const outside = events.filter(({ data }) => !isInside(filter, JSON.parse(data) as CloudEvent));
  expect(outside, `events outside ${JSON.stringify(filter)}`).toEqual([]);
}

/** Whether an event lies inside a filter, going by what the event itself says. */
export function isInside(filter: EventFilter, { type, subject, data }: CloudEvent): boolean {
  const { widget } = data;
  const hasAny = (wanted: readonly string[] | null, given: readonly (string | undefined)[]) =>
    wanted === null || given.some((value) => value !== undefined && wanted.includes(value));
  return (
    hasAny(filter.types, [type]) &&
    hasAny(filter.widgetIds, [subject]) &&
    hasAny(filter.states, widget === null ? [] : statesOf(widget.state, data)) &&
    hasAny(filter.labels, widget === null ? [] : widget.labels)
  );
}

/** After and before: a hook changes a state only from active to retired; before its creation a widget has none. */
function statesOf(state: 'active' | 'retired', { origin, stateChanged }: CloudEvent['data']): string[] {
  return origin === 'hook' && stateChanged ? ['active', 'retired'] : [state];
}

/**
 * Within 2 s of the moment from which a right had ended, the stream has ended too, for that reason, or was broken off.
 * `endedAtMs` and `sinceMs` are on one clock; the first says when the client saw the end.
 */
export function expectEndedInTime(
  stream: Pick<StreamClient, 'events'>,
  reason: 'revoked' | 'expired',
  { sinceMs, endedAtMs }: { readonly sinceMs: number; readonly endedAtMs: number },
): void {
  expect(endedAtMs - sinceMs, 'from the end of the right to the end of the stream, in ms').toBeLessThanOrEqual(2_000);
  const closing = stream.events.find(({ event }) => event === 'stream.closing');
  if (closing !== undefined) expect(JSON.parse(closing.data)).toEqual({ reason });
}
