import { type Exploration, exploreEvery } from './explore.ts';

/**
 * A model of how the cluster keeps one admin (`mongo-admin-roster.ts`): concurrent changes of users, in steps that are
 * atomic in the store. The model has no time: any admin who is not confirmed may be confirmed at any moment. Every
 * actor may stop for ever, or continue later, before any step.
 */

/** Rules that a test can remove, to check that the model notices. */
export type Rule =
  | 'an admin is removed from the roster before the change'
  | 'another confirmed admin is left'
  | 'a change requires the version that was read'
  | 'a removal deletes a pending attempt'
  | 'only the latest attempt confirms a user';

export type UserName = 'a' | 'b';

/** The change that an actor makes: the user becomes an admin, or stops being one. */
export interface Plan {
  readonly user: UserName;
  readonly admin: boolean;
}

type Step =
  | 'read'
  | 'remove'
  | 'add-pending'
  | 'change'
  | 'confirm'
  | 'read-roster'
  | 'find-unconfirmed'
  | 'add-pending-other'
  | 'change-other'
  | 'confirm-other'
  | 'remove-again'
  | 'done';

interface Actor {
  readonly step: Step;
  readonly attempt: number;
  readonly version: number;
  /** Read by `read-roster`, used by `find-unconfirmed`. */
  readonly readConfirmedIds: readonly UserName[];
  readonly other: UserName | null;
  readonly otherVersion: number;
}

interface State {
  readonly admins: readonly UserName[];
  readonly versions: Readonly<Record<UserName, number>>;
  /** The roster: confirmed admins, and users who are about to become one, with the id of the latest attempt. */
  readonly confirmedIds: readonly UserName[];
  readonly pending: Readonly<Partial<Record<UserName, string>>>;
  readonly actors: readonly Actor[];
}

const attemptsMax = 2;
const userNames: readonly UserName[] = ['a', 'b'];
const idle: Actor = { step: 'read', attempt: 1, version: 0, readConfirmedIds: [], other: null, otherVersion: 0 };

/** Explores every reachable state, with the rule `without` removed. */
export function explore(
  plans: readonly Plan[],
  without: Rule | null,
  start: { readonly admins: readonly UserName[]; readonly confirmedIds: readonly UserName[] },
): Exploration {
  return exploreEvery<State>({
    start: { ...start, versions: { a: 1, b: 1 }, pending: {}, actors: plans.map(() => idle) },
    makeKey: (state) => JSON.stringify(state),
    listSuccessors: (state) => plans.flatMap((plan, index) => listSuccessors(state, plan, index, without)),
    findViolation,
  });
}

function findViolation({ admins, confirmedIds }: State): string | null {
  if (admins.length === 0) return 'no admin is left';
  return confirmedIds.every((id) => admins.includes(id)) ? null : 'a user is confirmed who is no admin';
}

function listSuccessors(state: State, plan: Plan, index: number, without: Rule | null): State[] {
  const actor = state.actors[index] ?? idle;
  const advance = (to: Partial<Actor>, change: Partial<State> = {}): State => ({
    ...state,
    ...change,
    actors: state.actors.map((other, n) => (n === index ? { ...other, ...to } : other)),
  });
  const { user, admin } = plan;
  const attemptId = `${index}.${actor.attempt}`;
  switch (actor.step) {
    case 'read': {
      const mustRemove =
        !admin && state.admins.includes(user) && without !== 'an admin is removed from the roster before the change';
      return [
        advance({ step: admin ? 'add-pending' : mustRemove ? 'remove' : 'change', version: state.versions[user] }),
      ];
    }
    case 'remove':
      return mayRemove(state, user, without)
        ? [advance({ step: 'change' }, removeUser(state, user, without))]
        : [advance({ step: 'read-roster' })];
    case 'remove-again':
      return mayRemove(state, user, without)
        ? [advance({ step: 'change' }, removeUser(state, user, without))]
        : [advance({ step: 'done' })];
    case 'add-pending':
      return [advance({ step: 'change' }, { pending: { ...state.pending, [user]: attemptId } })];
    case 'change':
      if (isStale(state, user, actor.version, without)) {
        return [
          actor.attempt < attemptsMax ? advance({ ...idle, attempt: actor.attempt + 1 }) : advance({ step: 'done' }),
        ];
      }
      return [advance({ step: admin ? 'confirm' : 'done' }, changeUser(state, user, admin))];
    case 'confirm':
      return [advance({ step: 'done' }, confirmUser(state, user, attemptId, without))];
    case 'read-roster':
      return [advance({ step: 'find-unconfirmed', readConfirmedIds: state.confirmedIds }), advance({ step: 'done' })];
    case 'find-unconfirmed':
      return userNames
        .filter((name) => name !== user && state.admins.includes(name) && !actor.readConfirmedIds.includes(name))
        .map((other) =>
          advance({ step: 'add-pending-other', other, readConfirmedIds: [], otherVersion: state.versions[other] }),
        )
        .concat(advance({ step: 'done', readConfirmedIds: [] }));
    default:
      return actor.other === null
        ? []
        : listSuccessorsForOther(state, actor, actor.other, { advance, attemptId, without });
  }
}

/**
 * The steps that confirm another admin: a write that changes nothing but the version, so that changes which read the
 * old version fail.
 */
function listSuccessorsForOther(
  state: State,
  { step, otherVersion }: Actor,
  other: UserName,
  {
    advance,
    attemptId,
    without,
  }: { advance: (to: Partial<Actor>, change?: Partial<State>) => State; attemptId: string; without: Rule | null },
): State[] {
  switch (step) {
    case 'add-pending-other':
      return [advance({ step: 'change-other' }, { pending: { ...state.pending, [other]: attemptId } })];
    case 'change-other':
      if (isStale(state, other, otherVersion, without)) return [advance({ step: 'done' })];
      return [advance({ step: 'confirm-other' }, changeUser(state, other, state.admins.includes(other)))];
    case 'confirm-other':
      return [advance({ step: 'remove-again' }, confirmUser(state, other, attemptId, without))];
    default:
      return [];
  }
}

function mayRemove({ confirmedIds }: State, user: UserName, without: Rule | null): boolean {
  return without === 'another confirmed admin is left' || confirmedIds.some((id) => id !== user);
}

function removeUser({ confirmedIds, pending }: State, user: UserName, without: Rule | null): Partial<State> {
  return {
    confirmedIds: confirmedIds.filter((id) => id !== user),
    pending: without === 'a removal deletes a pending attempt' ? pending : omitUser(pending, user),
  };
}

function isStale({ versions }: State, user: UserName, version: number, without: Rule | null): boolean {
  return without !== 'a change requires the version that was read' && versions[user] !== version;
}

function changeUser({ admins, versions }: State, user: UserName, admin: boolean): Partial<State> {
  const others = admins.filter((name) => name !== user);
  return {
    admins: admin ? [...others, user].sort() : others,
    versions: { ...versions, [user]: versions[user] + 1 },
  };
}

function confirmUser(
  { confirmedIds, pending }: State,
  user: UserName,
  attemptId: string,
  without: Rule | null,
): Partial<State> {
  const latestAttemptId = pending[user];
  if (
    latestAttemptId === undefined ||
    (latestAttemptId !== attemptId && without !== 'only the latest attempt confirms a user')
  )
    return {};
  return { confirmedIds: [...new Set([...confirmedIds, user])].sort(), pending: omitUser(pending, user) };
}

function omitUser(pending: State['pending'], user: UserName): State['pending'] {
  return Object.fromEntries(Object.entries(pending).filter(([name]) => name !== user));
}
