import type { World } from '../../simulation/world/world.ts';

/**
 * C1: each accepted hook has exactly one effect and exactly one event, or is a dead letter. Where Redis lost data, the
 * effect or the event may be missing, but neither may be there twice.
 */
export function eachHookOnce({ history, database }: World): string[] {
  const violations: string[] = [];
  const effects = countById(history.effects.map(({ entry }) => entry.eventId));
  const events = countById(history.log.map(({ event }) => event.eventId));
  for (const [eventId, count] of effects) if (count > 1) violations.push(`C1: ${eventId} took effect ${count} times`);
  for (const [eventId, count] of events) if (count > 1) violations.push(`C1: ${eventId} was published ${count} times`);

  const lostEvents = new Set(history.lostEvents.map(({ record }) => record.event.eventId));
  for (const { eventId, widgetId, isPoison } of history.accepted) {
    const row = database.ledger.get(eventId);
    if (row === undefined && history.lostHooks.has(eventId)) continue;
    const isKnown = widgetId !== null && database.widgets.has(widgetId);
    if (isPoison && isKnown) {
      if (row?.state !== 'dead' && !history.lostHooks.has(eventId))
        violations.push(`C1: poison ${eventId} is not a dead letter`);
      if (effects.has(eventId) || events.has(eventId)) violations.push(`C1: poison ${eventId} took effect`);
      continue;
    }
    const hasEffect = effects.has(eventId);
    if (isKnown && !hasEffect && !history.lostHooks.has(eventId))
      violations.push(`C1: the effect of ${eventId} is lost`);
    if (isKnown && !hasEffect) continue;
    if (!isKnown && !events.has(eventId) && history.lostHooks.has(eventId)) continue;
    if (!events.has(eventId) && !lostEvents.has(eventId)) violations.push(`C1: the event of ${eventId} is lost`);
    // A run that dies between append and mark leaves the mark to the outbox. Without an outbox it leaves it to the job,
    // and the job may be lost.
    if (row?.state !== 'published' && (isKnown || !history.lostHooks.has(eventId)))
      violations.push(`C1: ${eventId} is not marked published but ${row?.state}`);
  }
  return violations;
}

export function countById(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
