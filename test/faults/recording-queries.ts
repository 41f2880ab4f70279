import type { CreateOperation, HookOperation, Recording } from '../drivers/cluster/recording.ts';

/** A range of times on the recording's clock, in milliseconds. `toMs` is exclusive. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The service promises an answer or a refusal within this time. */
const answeredWithinMs = 2_000;

/** Returns the hooks that were sent in this range, with a token that nobody revokes. */
export function selectHooks({ hooks }: Recording, { fromMs, toMs }: TimeRange): HookOperation[] {
  return hooks.filter(
    ({ startedAtMs, revocation }) => revocation === null && startedAtMs >= fromMs && startedAtMs < toMs,
  );
}

/** Whether the hook that ended last was sent since then, and was accepted. A revoked token says nothing about it. */
export const isAccepting = ({ hooks }: Recording, sinceMs: number): boolean =>
  hooks
    .filter(({ revocation }) => revocation === null)
    .slice(-1)
    .some(({ outcome, startedAtMs }) => outcome === 'ok' && startedAtMs >= sinceMs);

/** Returns the accepted hooks of this range whose event no stream has received so far. */
export function findHooksWithoutEvent(recording: Recording, range: TimeRange): HookOperation[] {
  const receivedIds = new Set<string>();
  for (const { blocks } of recording.streams.flatMap(({ connections }) => connections)) {
    for (const block of blocks) if (block.type === 'event') receivedIds.add(block.event.id);
  }
  return selectHooks(recording, range).filter(({ outcome, eventId }) => outcome === 'ok' && !receivedIds.has(eventId));
}

/** Returns the creates that were sent in this range. */
export function selectCreates({ creates }: Recording, { fromMs, toMs }: TimeRange): CreateOperation[] {
  return creates.filter(({ startedAtMs }) => startedAtMs >= fromMs && startedAtMs < toMs);
}

/**
 * Returns the operations during which the machine had enough CPU time. The service promises no times and no acceptance
 * for the others. The checkers still judge their consistency.
 */
export function excludeStarved<Operation extends HookOperation | CreateOperation>(operations: readonly Operation[]) {
  const judged = operations.filter(({ wasStarved }) => !wasStarved);
  const starved = operations.length - judged.length;
  if (starved > 0)
    console.log(`${starved} of ${operations.length} operations are not judged: too much stolen CPU time`);
  return judged;
}

/** Describes the operations that took more than 2 s, or that were neither accepted nor refused as `unavailable`. */
export function findLateOrWrongAnswers(operations: readonly (HookOperation | CreateOperation)[]): string[] {
  return excludeStarved(operations).flatMap(({ outcome, status, latencyMs, refusal, failure, startedAtMs }) => {
    const isPromisedAnswer =
      outcome === 'ok' || (status === 503 && refusal?.body.includes('"code":"unavailable"') === true);
    if (isPromisedAnswer && latencyMs <= answeredWithinMs) return [];
    return [`at ${Math.round(startedAtMs)} ms: ${outcome} ${status} ${failure} after ${Math.round(latencyMs)} ms`];
  });
}

/** Describes the connections that ended in this range, except on streams that were closed by the client or revoked. */
export function findEndedStreams({ streams, revocations }: Recording, { fromMs, toMs }: TimeRange): string[] {
  const revoked = new Set(revocations.map(({ subscriptionId }) => subscriptionId));
  const expectedToStay = streams.filter(
    ({ closedBy, subscriptionId }) => closedBy !== 'client' && !revoked.has(subscriptionId),
  );
  return expectedToStay.flatMap(({ name, connections }) => {
    const ended = connections.filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs >= fromMs && endedAtMs < toMs);
    return ended.map(({ blocks, endedAtMs }) => {
      const last = blocks.at(-1);
      const reason = last?.type === 'message' ? `${last.name} ${JSON.stringify(last.data)}` : 'no closing message';
      return `${name} ended ${Math.round((endedAtMs ?? 0) - fromMs)} ms into the range: ${reason}`;
    });
  });
}

/** Counts the `stream.gap` messages that streams received, by reason. */
export function countGapReasons({ streams }: Recording): Partial<Record<string, number>> {
  const counts: Partial<Record<string, number>> = {};
  for (const { blocks } of streams.flatMap(({ connections }) => connections)) {
    for (const block of blocks) {
      if (block.type !== 'message' || block.name !== 'stream.gap') continue;
      const { reason } = block.data as { reason: string };
      counts[reason] = (counts[reason] ?? 0) + 1;
    }
  }
  return counts;
}
