import { deriveCreationEventId } from '@widget-service/shared/domain/event-id.ts';
import type { CreateOperation } from '../drivers/recording.ts';
import type { Checker, Evidence } from './evidence.ts';
import { historyOf } from './history.ts';

/**
 * C4: each create that was answered 201 is exactly one widget for its key, told by exactly one event of the API's own,
 * and answered with the same bytes at every repetition; one that was refused for good, and what nobody asked for, is
 * none.
 */
export const oneKeyOneWidget: Checker = (evidence) => [
  ...sameAnswers(evidence.recording.creates),
  ...widgetsOfKeys(evidence),
  ...oneEventEach(evidence),
];

function idOf(answer: string): string {
  return (JSON.parse(answer) as { id: string }).id;
}

function sameAnswers(creates: readonly CreateOperation[]): string[] {
  const answers = new Map<string, string>();
  return creates.flatMap(({ key, answer }) => {
    if (key === null || answer === null) return [];
    const first = answers.get(key) ?? answer;
    answers.set(key, first);
    return first === answer ? [] : [`key ${key} was answered with different bytes`];
  });
}

function widgetsOfKeys({ stored, recording }: Evidence): string[] {
  const found: string[] = [];
  const byKey = new Map<string, string>();
  const ids = new Set(stored.widgets.map(({ id }) => id));
  const answered = new Set<string>();
  const keys = new Set<string>();
  let unansweredWithoutKey = 0;
  for (const { key, answer, outcome, status } of recording.creates) {
    if (answer !== null) {
      answered.add(idOf(answer));
      if (!ids.has(idOf(answer))) found.push(`widget ${idOf(answer)} was answered 201 and is not stored`);
    } else if (key === null && (outcome === 'unknown' || status === 503)) unansweredWithoutKey += 1;
    // What was refused with 409 or 400 made nothing: the key must come from a request that may have.
    if (key !== null && (answer !== null || outcome === 'unknown' || status === 503)) keys.add(key);
  }
  let unasked = 0;
  for (const { id, idempotency } of stored.widgets) {
    const key = idempotency?.key ?? null;
    if (key === null) {
      if (!answered.has(id)) unasked += 1;
      continue;
    }
    if (byKey.has(key)) found.push(`key ${key} made several widgets`);
    byKey.set(key, id);
    if (!keys.has(key)) found.push(`key ${key} made a widget though every request with it was refused`);
  }
  for (const { key, answer } of recording.creates) {
    if (key !== null && answer !== null && byKey.get(key) !== idOf(answer))
      found.push(`key ${key} was answered with a widget that is not the one under it`);
  }
  if (unasked > unansweredWithoutKey) found.push(`${unasked - unansweredWithoutKey} widgets that nobody asked for`);
  return found;
}

function oneEventEach(evidence: Evidence): string[] {
  const { byEventId } = historyOf(evidence);
  const creations = new Map(evidence.stored.widgets.map(({ id }) => [deriveCreationEventId(id), id]));
  const found = [...creations].flatMap(([eventId, id]) => {
    const told = byEventId.get(eventId) ?? [];
    const inOneEpoch = new Set(told.map(({ epoch }) => epoch)).size === told.length;
    if (told.length === 1 || (evidence.allowed.gaps && inOneEpoch)) return [];
    return [`the creation of ${id} was told ${told.length} times`];
  });
  for (const [eventId, [first]] of byEventId) {
    if (first?.origin === 'api' && !creations.has(eventId))
      found.push(`a creation was told of a widget that is not there: ${first.widgetId}`);
  }
  return found;
}
