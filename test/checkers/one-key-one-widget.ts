import { deriveCreationEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import type { CreateOperation } from '../drivers/cluster/recording.ts';
import { collectEventHistory } from './event-history.ts';
import type { Checker, Evidence } from './evidence.ts';

/**
 * C4: each create that was answered 201 is exactly one widget for its key, with exactly one event of origin `api`, and
 * with the same bytes in every answer. A create that was refused permanently, or never requested, is no widget.
 */
export const oneKeyOneWidget: Checker = (evidence) => [
  ...checkAnswers(evidence.recording.creates),
  ...checkKeys(evidence),
  ...checkCreationEvents(evidence),
];

function parseWidgetId(answer: string): string {
  return (JSON.parse(answer) as { id: string }).id;
}

function checkAnswers(creates: readonly CreateOperation[]): string[] {
  const answers = new Map<string, string>();
  return creates.flatMap(({ key, answer }) => {
    if (key === null || answer === null) return [];
    const first = answers.get(key) ?? answer;
    answers.set(key, first);
    return first === answer ? [] : [`key ${key} was answered with different bytes`];
  });
}

function checkKeys({ stored, recording }: Evidence): string[] {
  const violations: string[] = [];
  const byKey = new Map<string, string>();
  const ids = new Set(stored.widgets.map(({ id }) => id));
  const answered = new Set<string>();
  const keys = new Set<string>();
  let unansweredWithoutKey = 0;
  for (const { key, answer, outcome, status } of recording.creates) {
    if (answer !== null) {
      answered.add(parseWidgetId(answer));
      if (!ids.has(parseWidgetId(answer)))
        violations.push(`widget ${parseWidgetId(answer)} was answered 201 and is not stored`);
    } else if (key === null && (outcome === 'unknown' || status === 503)) unansweredWithoutKey += 1;
    // A request that was refused with 409 or 400 created nothing. The key must be of a request that may have created
    // it.
    if (key !== null && (answer !== null || outcome === 'unknown' || status === 503)) keys.add(key);
  }
  let unrequested = 0;
  for (const { id, idempotency } of stored.widgets) {
    const key = idempotency?.key ?? null;
    if (key === null) {
      if (!answered.has(id)) unrequested += 1;
      continue;
    }
    if (byKey.has(key)) violations.push(`key ${key} made several widgets`);
    byKey.set(key, id);
    if (!keys.has(key)) violations.push(`key ${key} made a widget though every request with it was refused`);
  }
  for (const { key, answer } of recording.creates) {
    if (key !== null && answer !== null && byKey.get(key) !== parseWidgetId(answer))
      violations.push(`key ${key} was answered with another widget than the stored one`);
  }
  if (unrequested > unansweredWithoutKey)
    violations.push(`${unrequested - unansweredWithoutKey} widgets were never requested`);
  return violations;
}

function checkCreationEvents(evidence: Evidence): string[] {
  const { byEventId } = collectEventHistory(evidence);
  const creations = new Map(evidence.stored.widgets.map(({ id }) => [deriveCreationEventId(id), id]));
  const violations = [...creations].flatMap(([eventId, id]) => {
    const published = byEventId.get(eventId) ?? [];
    const isOncePerEpoch = new Set(published.map(({ epoch }) => epoch)).size === published.length;
    if (published.length === 1 || (evidence.allowed.gaps && isOncePerEpoch)) return [];
    return [`the creation of ${id} was published ${published.length} times`];
  });
  for (const [eventId, [first]] of byEventId) {
    if (first?.origin === 'api' && !creations.has(eventId))
      violations.push(`the creation of a widget that is not stored was published: ${first.widgetId}`);
  }
  return violations;
}
