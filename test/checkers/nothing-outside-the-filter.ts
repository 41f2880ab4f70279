import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import { expect } from 'vitest';
import type { CloudEvent as RecordedEvent } from '../drivers/cluster/recording.ts';
import type { StreamClient, StreamEvent } from '../drivers/streams/stream-client.ts';

type CloudEvent = Omit<RecordedEvent, 'data'> & {
  readonly data: Omit<RecordedEvent['data'], 'widget'> & {
    readonly widget: { readonly state: 'active' | 'retired'; readonly labels: readonly string[] } | null;
  };
};

/** No received event is outside the subscription's filter, judged by the event itself. */
export function expectNothingOutside(filter: EventFilter, events: readonly StreamEvent[]): void {
  const outside = events.filter(({ data }) => !isInside(filter, JSON.parse(data) as CloudEvent));
  expect(outside, `events outside ${JSON.stringify(filter)}`).toEqual([]);
}

/** Returns whether an event is inside a filter, judged by the event itself. */
export function isInside(filter: EventFilter, { type, subject, data }: CloudEvent): boolean {
  const { widget } = data;
  const hasAny = (wanted: readonly string[] | null, given: readonly (string | undefined)[]) =>
    wanted === null || given.some((value) => value !== undefined && wanted.includes(value));
  return (
    hasAny(filter.types, [type]) &&
    hasAny(filter.widgetIds, [subject]) &&
    hasAny(filter.states, widget === null ? [] : listStates(widget.state, data)) &&
    hasAny(filter.labels, widget === null ? [] : widget.labels)
  );
}

/**
 * The states after and before the event. A hook changes a state only from active to retired. Before its creation a
 * widget has no state.
 */
function listStates(state: 'active' | 'retired', { origin, stateChanged }: CloudEvent['data']): string[] {
  return origin === 'hook' && stateChanged ? ['active', 'retired'] : [state];
}

/**
 * The stream has ended within 2 s after its entitlement ended, with that reason or with a broken connection. `sinceMs`
 * and `endedAtMs` (when the client saw the end) are on one clock.
 */
export function expectEndedInTime(
  stream: Pick<StreamClient, 'events'>,
  reason: 'revoked' | 'expired',
  { sinceMs, endedAtMs }: { readonly sinceMs: number; readonly endedAtMs: number },
): void {
  expect(endedAtMs - sinceMs, 'from the end of the entitlement to the end of the stream, in ms').toBeLessThanOrEqual(
    2_000,
  );
  const closing = stream.events.find(({ event }) => event === 'stream.closing');
  if (closing !== undefined) expect(JSON.parse(closing.data)).toEqual({ reason });
}
