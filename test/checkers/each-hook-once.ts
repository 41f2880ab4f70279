import type { HookOperation } from '../drivers/recording.ts';
import { type Checker, type Evidence, mayBeLost } from './evidence.ts';
import { historyOf } from './history.ts';

/**
 * C1: each distinct hook that was answered 202 has exactly one event, or is exactly one dead letter; one without a
 * certain answer has at most one; one that was refused for good, and what nobody sent, has none.
 */
export const eachHookOnce: Checker = (evidence) => {
  const { byEventId } = historyOf(evidence);
  const rows = new Map(evidence.stored.deliveries.map((row) => [row.eventId, row.state]));
  const sent = groupByEvent(evidence.recording.hooks);
  const violations = [...sent].flatMap(([eventId, operations]) => {
    const told = byEventId.get(eventId) ?? [];
    const isDead = rows.get(eventId) === 'dead';
    const isAccepted = operations.some(({ outcome }) => outcome === 'ok');
    const isLost = isInTheQueueOnly(evidence, rows.get(eventId), operations) && mayBeLost(evidence, operations);
    const found: string[] = [];
    if (operations.some((each) => each.outcome === 'ok' && each.answeredEventId !== eventId))
      found.push(`hook ${eventId} was answered with another id`);
    if (told.length > new Set(told.map(({ epoch }) => epoch)).size) found.push(`hook ${eventId} has several events`);
    if (told.length > 1 && !evidence.allowed.gaps) found.push(`hook ${eventId} has an event in several epochs`);
    if (told.length > 0 && isDead) found.push(`hook ${eventId} has an event and is dead`);
    // The run that took it may have told its event without hearing that it had.
    if (isLost && (told.length === 0 || rows.has(eventId))) return found;
    if (isAccepted && told.length === 0 && !isDead && !isExcused(evidence, rows.get(eventId)))
      found.push(`hook ${eventId} was answered 202 and has no event`);
    if (isAccepted && !['published', 'dead'].includes(rows.get(eventId) ?? ''))
      found.push(`hook ${eventId} was answered 202 and is ${rows.get(eventId) ?? 'not in the ledger'}`);
    if (!isAccepted && told.length > 0 && operations.every(isRefusedForGood))
      found.push(`hook ${eventId} was refused and has an event`);
    return found;
  });
  for (const [eventId, [first]] of byEventId) {
    if (first?.origin === 'hook' && !sent.has(eventId)) violations.push(`event ${eventId} is of a hook nobody sent`);
  }
  return violations;
};

/**
 * Whether nothing but its job could still lead to its event, or to the mark that it was told. A run that has taken a hook
 * without a known widget has a row in the ledger, but no outbox to leave the event in.
 */
function isInTheQueueOnly({ stored }: Evidence, state: string | undefined, [first]: readonly HookOperation[]): boolean {
  if (state !== 'received') return state === undefined;
  return !stored.widgets.some(({ id }) => id === first?.widgetId);
}

/** Of events, not of effects: a row that is published has had its effect. */
function isExcused({ allowed }: Evidence, state: string | undefined): boolean {
  return allowed.gaps && state === 'published';
}

/** Try again later (429, 503) is said of a hook that may be stored all the same. */
function isRefusedForGood({ outcome, status }: HookOperation): boolean {
  return outcome === 'refused' && status !== 429 && status !== 503;
}

function groupByEvent(operations: readonly HookOperation[]): Map<string, HookOperation[]> {
  return Map.groupBy(operations, ({ eventId }) => eventId) as Map<string, HookOperation[]>;
}
