import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';

/**
 * The reference for a widget's final state: a function of its creation and of the *set* of accepted hooks. It computes
 * from the whole set, not hook by hook as the service does, so it cannot depend on an order.
 */

/** A widget as the API returns it. Times are RFC 3339 in UTC with milliseconds. */
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

/** A hook that was sent. Repetitions have the same `eventId`, which the answer names (`Webhook-Event-Id`). */
export interface SentHook {
  readonly eventId: string;
  readonly kind: 'created' | 'updated' | 'retired';
  /** The text that was sent. */
  readonly occurredAt: string;
  /**
   * When the service received the hook, if known. It replaces a later `occurredAt`. Needed only for hooks from the
   * future.
   */
  readonly receivedAt?: string;
}

/** Without `updatedAt`: that depends on which of several repetitions was processed first. */
export type FoldedWidget = Omit<AnsweredWidget, 'updatedAt'>;

/** Returns the widget after every accepted hook has taken effect, in any order and with any repetitions. */
export function foldWidget(created: AnsweredWidget, accepted: readonly SentHook[]): FoldedWidget {
  const hooks = dropRepeats(accepted);
  const { updatedAt: _, ...unchanged } = created;
  const retirements = hooks.filter(({ kind }) => kind === 'retired').map(computeEffectiveTime);
  return {
    ...unchanged,
    state: retirements.length > 0 ? 'retired' : created.state,
    retiredAt: pickRetirement(created, retirements),
    lastEventAt: pickLatest(created.lastEventAt, hooks.map(computeEffectiveTime)),
    version: created.version + hooks.length,
  };
}

/**
 * Returns whether `seen` is the fold of all accepted hooks and of some of the `unknown` ones. The outcome of these is
 * unknown: their requests had no answer.
 */
export function isFoldOf(
  seen: AnsweredWidget,
  created: AnsweredWidget,
  accepted: readonly SentHook[],
  unknown: readonly SentHook[],
): boolean {
  const acceptedIds = new Set(accepted.map(({ eventId }) => eventId));
  const open = dropRepeats(unknown).filter(({ eventId }) => !acceptedIds.has(eventId));
  const certain = foldWidget(created, accepted);
  const missing = seen.version - certain.version;
  const possible = open.filter((hook) => mayHaveTakenEffect(hook, seen));
  if (missing < 0 || missing > possible.length) return false;
  return listSmallestExplanations(seen, certain, possible).some(
    (some) =>
      some.length <= missing && isSame(seen, foldWidget(created, [...accepted, ...some]), missing - some.length),
  );
}

/** Returns whether the hook can have taken effect on the widget that was seen. */
function mayHaveTakenEffect(hook: SentHook, seen: AnsweredWidget): boolean {
  const time = computeEffectiveTime(hook);
  if (seen.lastEventAt === null || time > seen.lastEventAt) return false;
  return hook.kind !== 'retired' || (seen.retiredAt !== null && pickRetirement(seen, [time]) === seen.retiredAt);
}

/**
 * Returns the sets of at most two hooks that explain the times seen. Other hooks that took effect change neither time.
 */
function listSmallestExplanations(
  seen: AnsweredWidget,
  certain: FoldedWidget,
  possible: readonly SentHook[],
): SentHook[][] {
  const newest = possible.filter((hook) => computeEffectiveTime(hook) === seen.lastEventAt);
  const retiring = possible.filter((hook) => hook.kind === 'retired' && computeEffectiveTime(hook) === seen.retiredAt);
  const forLast = certain.lastEventAt === seen.lastEventAt ? [[]] : newest.map((hook) => [hook]);
  const forRetired = certain.retiredAt === seen.retiredAt ? [[]] : retiring.map((hook) => [hook]);
  return forLast.flatMap((last) => forRetired.map((retired) => dropRepeats([...last, ...retired])));
}

function isSame(seen: AnsweredWidget, folded: FoldedWidget, furtherHooks: number): boolean {
  const { updatedAt: _, ...rest } = seen;
  return (
    JSON.stringify(sortMembers(rest)) ===
    JSON.stringify(sortMembers({ ...folded, version: folded.version + furtherHooks }))
  );
}

function sortMembers(widget: FoldedWidget): [string, unknown][] {
  return Object.entries(widget).sort(([a], [b]) => (a < b ? -1 : 1));
}

function dropRepeats(hooks: readonly SentHook[]): SentHook[] {
  return [...new Map(hooks.toReversed().map((hook) => [hook.eventId, hook])).values()].toReversed();
}

/** Returns the earlier of `occurredAt` and `receivedAt`, in milliseconds. Texts of this form compare like times. */
function computeEffectiveTime({ occurredAt, receivedAt }: SentHook): string {
  const occurredAtMs = parseUtcTimestamp(occurredAt);
  if (occurredAtMs === null)
    throw new Error(`The service cannot have accepted a hook with occurredAt ${occurredAt}: it is not a timestamp.`);
  const text = new Date(occurredAtMs).toISOString();
  return receivedAt !== undefined && receivedAt < text ? receivedAt : text;
}

/** The earliest of those from ten years before the creation on; without any, the latest of the others. */
function pickRetirement({ createdAt, retiredAt }: AnsweredWidget, others: readonly string[]): string | null {
  const times = [...others, ...(retiredAt === null ? [] : [retiredAt])].sort();
  const bound = new Date(Date.parse(createdAt) - 10 * 365.25 * 86_400_000).toISOString();
  return times.find((time) => time >= bound) ?? times.at(-1) ?? null;
}

function pickLatest(known: string | null, others: readonly string[]): string | null {
  return [known, ...others].reduce((a, b) => (a === null || (b !== null && b > a) ? b : a));
}
