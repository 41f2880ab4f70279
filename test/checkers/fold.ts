import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';

/**
 * The reference for what a widget is in the end: a function of how it was created and of the *set* of hooks that were
 * accepted for it. It reckons with the set as a whole, not hook by hook as the service does, so that nothing in it can
 * depend on an order.
 */

/** A widget as the API answers with it. Times are RFC 3339 in UTC with milliseconds. */
export interface AnsweredWidget {
  readonly id: string;
  readonly name: string;
  readonly state: 'active' | 'retired';
  readonly labels: readonly string[];
  readonly owner: unknown;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly retiredAt: string | null;
  readonly lastEventAt: string | null;
  readonly version: number;
}

/** A hook that was sent. Repetitions carry the same `eventId`, which the answer names (`Webhook-Event-Id`). */
export interface SentHook {
  readonly eventId: string;
  readonly kind: 'created' | 'updated' | 'retired';
  /** As it was sent. */
  readonly occurredAt: string;
  /**
   * When the service received it, if that is known: it stands for an `occurredAt` that lies after it. Needed only of
   * hooks from the future.
   */
  readonly receivedAt?: string;
}

/** `updatedAt` depends on which of several repetitions was processed first, and is left out. */
export type FoldedWidget = Omit<AnsweredWidget, 'updatedAt'>;

/** What the widget is once every accepted hook has taken effect, in whatever order and however often each was sent. */
export function foldWidget(created: AnsweredWidget, accepted: readonly SentHook[]): FoldedWidget {
  const hooks = distinct(accepted);
  const { updatedAt: _, ...unchanged } = created;
  const retirements = hooks.filter(({ kind }) => kind === 'retired').map(timeUsed);
  return {
    ...unchanged,
    state: retirements.length > 0 ? 'retired' : created.state,
    retiredAt: earliest(created.retiredAt, retirements),
    lastEventAt: latest(created.lastEventAt, hooks.map(timeUsed)),
    version: created.version + hooks.length,
  };
}

/**
 * Whether `seen` is the fold of all accepted hooks and of some of the `unknown` ones: those whose request had no answer,
 * so that each may have been accepted or not.
 */
export function isFoldOf(
  seen: AnsweredWidget,
  created: AnsweredWidget,
  accepted: readonly SentHook[],
  unknown: readonly SentHook[],
): boolean {
  const acceptedIds = new Set(accepted.map(({ eventId }) => eventId));
  const open = distinct(unknown).filter(({ eventId }) => !acceptedIds.has(eventId));
  const certain = foldWidget(created, accepted);
  const missing = seen.version - certain.version;
  const possible = open.filter((hook) => fits(hook, seen));
  if (missing < 0 || missing > possible.length) return false;
  return smallestExplanations(seen, certain, possible).some(
    (some) =>
      some.length <= missing && isSame(seen, foldWidget(created, [...accepted, ...some]), missing - some.length),
  );
}

/** Whether the hook can have taken effect on what was seen. */
function fits(hook: SentHook, seen: AnsweredWidget): boolean {
  const time = timeUsed(hook);
  if (seen.lastEventAt === null || time > seen.lastEventAt) return false;
  return hook.kind !== 'retired' || (seen.retiredAt !== null && time >= seen.retiredAt);
}

/** Sets of at most two hooks that say why the times seen are what they are; what else took effect changes neither. */
function smallestExplanations(
  seen: AnsweredWidget,
  certain: FoldedWidget,
  possible: readonly SentHook[],
): SentHook[][] {
  const newest = possible.filter((hook) => timeUsed(hook) === seen.lastEventAt);
  const retiring = possible.filter((hook) => hook.kind === 'retired' && timeUsed(hook) === seen.retiredAt);
  const forLast = certain.lastEventAt === seen.lastEventAt ? [[]] : newest.map((hook) => [hook]);
  const forRetired = certain.retiredAt === seen.retiredAt ? [[]] : retiring.map((hook) => [hook]);
  return forLast.flatMap((one) => forRetired.map((other) => distinct([...one, ...other])));
}

function isSame(seen: AnsweredWidget, folded: FoldedWidget, furtherHooks: number): boolean {
  const { updatedAt: _, ...rest } = seen;
  return JSON.stringify(sorted(rest)) === JSON.stringify(sorted({ ...folded, version: folded.version + furtherHooks }));
}

function sorted(widget: FoldedWidget): [string, unknown][] {
  return Object.entries(widget).sort(([a], [b]) => (a < b ? -1 : 1));
}

function distinct(hooks: readonly SentHook[]): SentHook[] {
  return [...new Map(hooks.toReversed().map((hook) => [hook.eventId, hook])).values()].toReversed();
}

/** The earlier of when it happened and when it was received, cut to milliseconds. Texts of this form compare as times. */
function timeUsed({ occurredAt, receivedAt }: SentHook): string {
  const occurredAtMs = parseUtcTimestamp(occurredAt);
  if (occurredAtMs === null) throw new Error(`A hook with ${occurredAt} cannot have been accepted.`);
  const text = new Date(occurredAtMs).toISOString();
  return receivedAt !== undefined && receivedAt < text ? receivedAt : text;
}

function earliest(known: string | null, others: readonly string[]): string | null {
  return [known, ...others].reduce((one, other) => (one === null || (other !== null && other < one) ? other : one));
}

function latest(known: string | null, others: readonly string[]): string | null {
  return [known, ...others].reduce((one, other) => (one === null || (other !== null && other > one) ? other : one));
}
