import type { CreateOperation, HookOperation, Recording } from '../drivers/recording.ts';

/** A stretch of time on the recording's clock, in milliseconds. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a sender is promised: an answer, be it a refusal, within so long. */
const answeredWithinMs = 2_000;

/** Hooks that were sent in this time. */
export function hooksSentIn({ hooks }: Recording, { fromMs, toMs }: Stretch): HookOperation[] {
  return hooks.filter(({ startedAtMs }) => startedAtMs >= fromMs && startedAtMs < toMs);
}

/** Of the hooks that were sent in this time and accepted, those whose event no stream has been sent so far. */
export function hooksNotTold(recording: Recording, stretch: Stretch): HookOperation[] {
  const told = new Set<string>();
  for (const { blocks } of recording.streams.flatMap(({ connections }) => connections)) {
    for (const block of blocks) if (block.type === 'event') told.add(block.event.id);
  }
  return hooksSentIn(recording, stretch).filter(({ outcome, eventId }) => outcome === 'ok' && !told.has(eventId));
}

export function createsSentIn({ creates }: Recording, { fromMs, toMs }: Stretch): CreateOperation[] {
  return creates.filter(({ startedAtMs }) => startedAtMs >= fromMs && startedAtMs < toMs);
}

/** Of these, those whose machine had time for them: of the others nothing is promised but that all is consistent. */
export function judged<Operation extends HookOperation | CreateOperation>(operations: readonly Operation[]) {
  const left = operations.filter(({ wasStarved }) => !wasStarved);
  const starved = operations.length - left.length;
  if (starved > 0) console.log(`${starved} of ${operations.length} are not judged: their machine worked for others`);
  return left;
}

/** Of these, what was not answered within 2 s, or neither accepted nor refused by "unavailable, try again later". */
export function notAnsweredAsPromised(operations: readonly (HookOperation | CreateOperation)[]): string[] {
  return judged(operations).flatMap(({ outcome, status, latencyMs, refusal, failure, startedAtMs }) => {
    const isPromised = outcome === 'ok' || (status === 503 && refusal?.body.includes('"code":"unavailable"') === true);
    if (isPromised && latencyMs <= answeredWithinMs) return [];
    return [`at ${Math.round(startedAtMs)} ms: ${outcome} ${status} ${failure} after ${Math.round(latencyMs)} ms`];
  });
}

/** Connections that ended in this time, of streams that their client did not close and nobody revoked. */
export function streamsEndedIn({ streams, revocations }: Recording, { fromMs, toMs }: Stretch): string[] {
  const revoked = new Set(revocations.map(({ subscriptionId }) => subscriptionId));
  const kept = streams.filter(({ closedBy, subscriptionId }) => closedBy !== 'client' && !revoked.has(subscriptionId));
  return kept.flatMap(({ name, connections }) => {
    const ended = connections.filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs >= fromMs && endedAtMs < toMs);
    return ended.map(({ blocks, endedAtMs }) => {
      const last = blocks.at(-1);
      const words = last?.type === 'message' ? `${last.name} ${JSON.stringify(last.data)}` : 'in the middle';
      return `${name} ended ${Math.round((endedAtMs ?? 0) - fromMs)} ms after the beginning: ${words}`;
    });
  });
}
