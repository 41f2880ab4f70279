import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import { expect } from 'vitest';
import type { RecordedConnection, CloudEvent as RecordedEvent, Revocation } from '../drivers/cluster/recording.ts';
import type { StreamClient, StreamEvent } from '../drivers/streams/stream-client.ts';
import type { Checker } from './evidence.ts';

/** The promise: this long after the 204, a revoked token does nothing, on every pod. */
const revokedWithinMs = 2_000;

/**
 * C6: a stream gets no event outside the filter of its subscription, and no event that was appended more than 2 s after
 * the revocation. No stream is opened after that time either. The time of an event is the one in its position, so the
 * delay of its bytes to a busy client does not count. While no pod can read the token, the service asks the client to
 * come back: it opens no stream, and does not close the EventSource, because the token may be valid. No hook with the
 * token of a revoked integration is accepted after that time.
 */
export const nothingOutsideTheEntitlement: Checker = ({ recording, allowed }) => {
  const withinMs = revokedWithinMs + allowed.staleMs;
  const revocations = new Map(recording.revocations.map((revocation) => [revocation.subscriptionId, revocation]));
  const ofHooks = recording.hooks.flatMap(({ outcome, revocation, startedAtMs }) => {
    const lateByMs = startedAtMs - (revocation?.acknowledgedAtMs ?? Number.POSITIVE_INFINITY);
    if (outcome !== 'ok' || lateByMs <= withinMs) return [];
    return [`a hook was accepted ${Math.round(lateByMs)} ms after the revocation of ${revocation?.integrationId}`];
  });
  const ofStreams = recording.streams.flatMap(({ name, subscriptionId, filter, connections }) =>
    connections.flatMap((connection, index) => {
      const outside = connection.blocks.filter((block) => block.type === 'event' && !isInside(filter, block.event));
      const problems = outside.map(({ position }) => `${position} is outside the filter`);
      const revocation = revocations.get(subscriptionId);
      if (revocation !== undefined) problems.push(...findProblemsAfter(revocation, connection, withinMs));
      return problems.map((problem) => `${name}, connection ${index}: ${problem}`);
    }),
  );
  return [...ofHooks, ...ofStreams];
};

function findProblemsAfter(
  revocation: Revocation,
  { blocks, requestedAtMs, endedAtMs }: RecordedConnection,
  withinMs: number,
): string[] {
  const { isConfirmed, acknowledgedAtMs, acknowledgedAtWallMs } = revocation;
  const problems = isConfirmed && endedAtMs === null ? ['was not ended by the revocation'] : [];
  if (acknowledgedAtMs === null) return problems;
  const isLate = requestedAtMs > acknowledgedAtMs + withinMs;
  if (isLate && !isRejectedForNow(blocks)) problems.push('was opened after the revocation');
  const last = parsePosition(blocks.findLast(({ type }) => type === 'event')?.position ?? '');
  const lateByMs = (last?.ms ?? 0) - acknowledgedAtWallMs;
  if (lateByMs > withinMs) problems.push(`got an event ${lateByMs} ms after the revocation`);
  return problems;
}

/** Returns whether the answer only said that no stream can be opened now. */
function isRejectedForNow(blocks: RecordedConnection['blocks']): boolean {
  const [only] = blocks;
  return blocks.length === 1 && only?.type === 'message' && only.name === 'stream.closing';
}

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
function isInside(filter: EventFilter, { type, subject, data }: CloudEvent): boolean {
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
