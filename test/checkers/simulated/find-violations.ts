import { deriveCreationEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import type { World } from '../../simulation/world/world.ts';
import { type AnsweredWidget, type FoldedWidget, foldWidget } from '../fold.ts';
import { makeMayFollow, parseVersion, streamsHaveNoHole } from './streams-have-no-hole.ts';

/**
 * C1: each accepted hook has exactly one effect and exactly one event, or is a dead letter. Where Redis lost data, the
 * effect or the event may be missing, but neither may be there twice.
 */
function eachHookOnce({ history, database }: World): string[] {
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

function countById(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/**
 * C4: each widget answered 201 is stored. Each key has one widget and one response body. Each stored widget has exactly
 * one creation event, or none if the log lost it.
 */
function eachCreationOnce({ history, database }: World): string[] {
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

/** C3: in each epoch `seq` rises by exactly one, and the versions of each widget do, except for lost versions. */
function logIsInOrder({ history }: World): string[] {
  const violations: string[] = [];
  const mayFollow = makeMayFollow(history);
  const seqs = new Map<string, number>();
  const versions = new Map<string, number>();
  for (const { epoch, seq, event } of history.log) {
    const before = seqs.get(epoch);
    if (before !== undefined && seq !== before + 1) violations.push(`C3: log: ${epoch}: ${seq} comes after ${before}`);
    seqs.set(epoch, seq);
    const version = parseVersion(event.json);
    if (event.widgetId === null || version === null) continue;
    const key = `${epoch} ${event.widgetId}`;
    const last = versions.get(key);
    if (last !== undefined && !mayFollow(epoch, event.widgetId, last, version)) {
      violations.push(`C3: log: ${event.widgetId}: version ${version} comes after ${last}`);
    }
    versions.set(key, version);
  }
  return violations;
}

/** C10: each widget is the fold of its hooks, in any order. */
function widgetsAreTheFold({ history, database }: World): string[] {
  const byWidget = Map.groupBy(history.effects, ({ widgetId }) => widgetId);
  return [...database.widgets.values()].flatMap(({ widget }) => {
    const hooks = (byWidget.get(widget.id) ?? []).flatMap(({ entry: { integrationId, receivedAt, ...entry } }) =>
      integrationId === null ? [] : [{ ...entry, receivedAt: receivedAt.toISOString() }],
    );
    const toAnswered = (members: object) => JSON.parse(JSON.stringify({ ...widget, ...members })) as AnsweredWidget;
    const created = toAnswered({ version: 1, state: 'active', retiredAt: null, lastEventAt: null });
    const [actual, expected] = [toAnswered({}), foldWidget(created, hooks)].map(summarize);
    return actual === expected ? [] : [`C10: widget ${widget.id} is ${actual}, its hooks make ${expected}`];
  });
}

function summarize({ version, state, retiredAt, lastEventAt }: FoldedWidget): string {
  return JSON.stringify({ version, state, retiredAt, lastEventAt });
}

const stepsAreCorrect = ({ history }: World) => [...history.stepViolations].map((violation) => `step: ${violation}`);

const checkers = [stepsAreCorrect, eachHookOnce, eachCreationOnce, logIsInOrder, streamsHaveNoHole, widgetsAreTheFold];

/** Returns every violation, once all is idle. Each text starts with the name of its checker. */
export function findViolations(world: World): string[] {
  return checkers.flatMap((check) => check(world));
}
