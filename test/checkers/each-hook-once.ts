import type { HookOperation } from '../drivers/cluster/recording.ts';
import { collectEventHistory } from './event-history.ts';
import { type Checker, type Evidence, mayBeLost } from './evidence.ts';

/**
 * C1: each distinct hook that was answered 202 has exactly one event, or is exactly one dead letter. A hook without a
 * certain answer has at most one event. A hook that was refused permanently, or was never sent, has none. Hooks with
 * different payloads are different hooks, and the event carries the payload to the byte.
 */
export const eachHookOnce: Checker = (evidence) => {
  const { byEventId } = collectEventHistory(evidence);
  const rows = new Map(evidence.stored.deliveries.map((row) => [row.eventId, row.state]));
  const sent = groupByEvent(evidence.recording.hooks);
  const violations = [...sent].flatMap(([eventId, operations]) => {
    const published = byEventId.get(eventId) ?? [];
    const isDead = rows.get(eventId) === 'dead';
    const isAccepted = operations.some(({ outcome }) => outcome === 'ok');
    const isLost = isOnlyInQueue(evidence, rows.get(eventId), operations) && mayBeLost(evidence, operations);
    const problems: string[] = [];
    if (new Set(operations.map(({ payload }) => payload)).size > 1)
      problems.push(`hook ${eventId} was sent with several payloads`);
    if (published.some(({ json }) => !json.includes(`"payload":${operations[0]?.payload}}`)))
      problems.push(`hook ${eventId} has an event with another payload`);
    if (operations.some((operation) => operation.outcome === 'ok' && operation.answeredEventId !== eventId))
      problems.push(`hook ${eventId} was answered with another id`);
    if (published.length > new Set(published.map(({ epoch }) => epoch)).size)
      problems.push(`hook ${eventId} has several events`);
    if (published.length > 1 && !evidence.allowed.gaps) problems.push(`hook ${eventId} has an event in several epochs`);
    if (published.length > 0 && isDead) problems.push(`hook ${eventId} has an event and is dead`);
    // The lost run may have appended the event without receiving the answer.
    if (isLost && (published.length === 0 || rows.has(eventId))) return problems;
    if (isAccepted && published.length === 0 && !isDead && !isAllowedLoss(evidence, rows.get(eventId)))
      problems.push(`hook ${eventId} was answered 202 and has no event`);
    if (isAccepted && !['published', 'dead'].includes(rows.get(eventId) ?? ''))
      problems.push(`hook ${eventId} was answered 202 and is ${rows.get(eventId) ?? 'not in the ledger'}`);
    if (!isAccepted && published.length > 0 && operations.every(isRefusedPermanently))
      problems.push(`hook ${eventId} was refused and has an event`);
    return problems;
  });
  for (const [eventId, [first]] of byEventId) {
    if (first?.origin === 'hook' && !sent.has(eventId))
      violations.push(`event ${eventId} is of a hook that was never sent`);
  }
  return violations;
};

/**
 * Returns whether only the hook's job could still lead to its event, or to the state `published`. A run that registered
 * a hook without a known widget leaves a ledger row, but no outbox that could hold the event.
 */
function isOnlyInQueue({ stored }: Evidence, state: string | undefined, [first]: readonly HookOperation[]): boolean {
  if (state !== 'received') return state === undefined;
  return !stored.widgets.some(({ id }) => id === first?.widgetId);
}

/** Allows a lost event, not a lost effect: a published row has had its effect. */
function isAllowedLoss({ allowed }: Evidence, state: string | undefined): boolean {
  return allowed.gaps && state === 'published';
}

/** Returns false for 429 and 503: such a hook may be stored all the same. */
function isRefusedPermanently({ outcome, status }: HookOperation): boolean {
  return outcome === 'refused' && status !== 429 && status !== 503;
}

function groupByEvent(operations: readonly HookOperation[]): Map<string, HookOperation[]> {
  return Map.groupBy(operations, ({ eventId }) => eventId) as Map<string, HookOperation[]>;
}
