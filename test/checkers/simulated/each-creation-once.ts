import { deriveCreationEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import type { World } from '../../simulation/world/world.ts';
import { countById } from './each-hook-once.ts';

/**
 * C4: each widget answered 201 is stored. Each key has one widget and one response body. Each stored widget has exactly
 * one creation event, or none if the log lost it.
 */
export function eachCreationOnce({ history, database }: World): string[] {
  const violations: string[] = [];
  const firstBodies = new Map<string, string>();
  for (const { key, widgetId, body } of history.created) {
    if (!database.widgets.has(widgetId)) violations.push(`C4: widget ${widgetId} was answered 201 and is not stored`);
    if (key === null) continue;
    const first = firstBodies.get(key) ?? body;
    firstBodies.set(key, first);
    if (body !== first) violations.push(`C4: key ${key} was answered with two bodies`);
  }
  const keys = countById([...database.widgets.values()].flatMap(({ idempotency }) => idempotency?.key ?? []));
  for (const [key, count] of keys) if (count > 1) violations.push(`C4: key ${key} made ${count} widgets`);

  const events = countById(history.log.map(({ event }) => event.eventId));
  const lost = new Set(history.lostEvents.map(({ record }) => record.event.eventId));
  for (const widgetId of database.widgets.keys()) {
    const eventId = deriveCreationEventId(widgetId);
    const count = events.get(eventId) ?? 0;
    if (count !== 1 && !(count === 0 && lost.has(eventId))) {
      violations.push(`C4: the creation of ${widgetId} was published ${count} times`);
    }
  }
  return violations;
}
