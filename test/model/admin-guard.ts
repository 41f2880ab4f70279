/**
 * A model of how the cluster keeps an admin (`mongo-admin-guard.ts`): changes of users that go on at the same time, in
 * steps that are atomic in the store. Time is left out: whoever was left uncounted may be counted at any moment, and
 * every actor may stop for ever, or go on later, anywhere.
 */

/** What can be left out on purpose, to see that it is missed. */
export type Rule =
  | 'leave-before-the-change'
  | 'another-is-left'
  | 'change-only-what-was-read'
  | 'leaving-ends-joining'
  | 'confirm-only-ones-own-mark';

export type UserName = 'a' | 'b';

/** What an actor is told to make of a user. */
export interface Plan {
  readonly user: UserName;
  readonly admin: boolean;
}

type Step =
  | 'read'
  | 'leave'
  | 'join'
  | 'change'
  | 'confirm'
  | 'census'
  | 'find'
  | 'join-other'
  | 'change-other'
  | 'confirm-other'
  | 'leave-again'
  | 'done';

interface Actor {
  readonly step: Step;
  readonly attempt: number;
  readonly version: number;
  /** What the census said, then whom it is to count. */
  readonly counted: readonly UserName[];
  readonly other: UserName | null;
  readonly otherVersion: number;
}

interface State {
  readonly admins: readonly UserName[];
  readonly versions: Readonly<Record<UserName, number>>;
  /** The guard. */
  readonly ids: readonly UserName[];
  readonly joining: Readonly<Partial<Record<UserName, string>>>;
  readonly actors: readonly Actor[];
}

const attemptsMax = 2;
const userNames: readonly UserName[] = ['a', 'b'];
const idle: Actor = { step: 'read', attempt: 1, version: 0, counted: [], other: null, otherVersion: 0 };

/** Looks at every reachable state without the `broken` rule; returns the first violation, or null and how many there are. */
export function explore(
  plans: readonly Plan[],
  broken: Rule | null,
  start: { readonly admins: readonly UserName[]; readonly ids: readonly UserName[] },
): { states: number; violation: string | null } {
  const first: State = { ...start, versions: { a: 1, b: 1 }, joining: {}, actors: plans.map(() => idle) };
  const seen = new Set([JSON.stringify(first)]);
  let frontier = [first];
  while (frontier.length > 0) {
    const next: State[] = [];
    for (const state of frontier) {
      for (const reached of plans.flatMap((plan, index) => successors(state, plan, index, broken))) {
        const key = JSON.stringify(reached);
        if (seen.has(key)) continue;
        seen.add(key);
        const violation = violationOf(reached);
        if (violation !== null) return { states: seen.size, violation: `${violation}: ${key}` };
        next.push(reached);
      }
    }
    frontier = next;
  }
  return { states: seen.size, violation: null };
}

function violationOf({ admins, ids }: State): string | null {
  if (admins.length === 0) return 'no admin is left';
  return ids.every((id) => admins.includes(id)) ? null : 'somebody is counted who is no admin';
}

function successors(state: State, plan: Plan, index: number, broken: Rule | null): State[] {
  const actor = state.actors[index] ?? idle;
  const go = (to: Partial<Actor>, change: Partial<State> = {}): State => ({
    ...state,
    ...change,
    actors: state.actors.map((each, n) => (n === index ? { ...each, ...to } : each)),
  });
  const { user, admin } = plan;
  const mark = `${index}.${actor.attempt}`;
  switch (actor.step) {
    case 'read': {
      const mustLeave = !admin && state.admins.includes(user) && broken !== 'leave-before-the-change';
      return [go({ step: admin ? 'join' : mustLeave ? 'leave' : 'change', version: state.versions[user] })];
    }
    case 'leave':
      return mayLeave(state, user, broken)
        ? [go({ step: 'change' }, left(state, user, broken))]
        : [go({ step: 'census' })];
    case 'leave-again':
      return mayLeave(state, user, broken)
        ? [go({ step: 'change' }, left(state, user, broken))]
        : [go({ step: 'done' })];
    case 'join':
      return [go({ step: 'change' }, { joining: { ...state.joining, [user]: mark } })];
    case 'change':
      if (isOutdated(state, user, actor.version, broken)) {
        return [actor.attempt < attemptsMax ? go({ ...idle, attempt: actor.attempt + 1 }) : go({ step: 'done' })];
      }
      return [go({ step: admin ? 'confirm' : 'done' }, changed(state, user, admin))];
    case 'confirm':
      return [go({ step: 'done' }, confirmed(state, user, mark, broken))];
    case 'census':
      return [go({ step: 'find', counted: state.ids }), go({ step: 'done' })];
    case 'find':
      return userNames
        .filter((name) => name !== user && state.admins.includes(name) && !actor.counted.includes(name))
        .map((other) => go({ step: 'join-other', other, counted: [], otherVersion: state.versions[other] }))
        .concat(go({ step: 'done', counted: [] }));
    default:
      return actor.other === null ? [] : successorsForOther(state, actor, actor.other, { go, mark, broken });
  }
}

/** Having somebody else counted: a change that changes nothing, so that none that was decided on before it happens. */
function successorsForOther(
  state: State,
  { step, otherVersion }: Actor,
  other: UserName,
  {
    go,
    mark,
    broken,
  }: { go: (to: Partial<Actor>, change?: Partial<State>) => State; mark: string; broken: Rule | null },
): State[] {
  switch (step) {
    case 'join-other':
      return [go({ step: 'change-other' }, { joining: { ...state.joining, [other]: mark } })];
    case 'change-other':
      if (isOutdated(state, other, otherVersion, broken)) return [go({ step: 'done' })];
      return [go({ step: 'confirm-other' }, changed(state, other, state.admins.includes(other)))];
    case 'confirm-other':
      return [go({ step: 'leave-again' }, confirmed(state, other, mark, broken))];
    default:
      return [];
  }
}

function mayLeave({ ids }: State, user: UserName, broken: Rule | null): boolean {
  return broken === 'another-is-left' || ids.some((id) => id !== user);
}

function left({ ids, joining }: State, user: UserName, broken: Rule | null): Partial<State> {
  return {
    ids: ids.filter((id) => id !== user),
    joining: broken === 'leaving-ends-joining' ? joining : without(joining, user),
  };
}

function isOutdated({ versions }: State, user: UserName, version: number, broken: Rule | null): boolean {
  return broken !== 'change-only-what-was-read' && versions[user] !== version;
}

function changed({ admins, versions }: State, user: UserName, admin: boolean): Partial<State> {
  const others = admins.filter((name) => name !== user);
  return {
    admins: admin ? [...others, user].sort() : others,
    versions: { ...versions, [user]: versions[user] + 1 },
  };
}

function confirmed({ ids, joining }: State, user: UserName, mark: string, broken: Rule | null): Partial<State> {
  const found = joining[user];
  if (found === undefined || (found !== mark && broken !== 'confirm-only-ones-own-mark')) return {};
  return { ids: [...new Set([...ids, user])].sort(), joining: without(joining, user) };
}

function without(joining: State['joining'], user: UserName): State['joining'] {
  return Object.fromEntries(Object.entries(joining).filter(([name]) => name !== user));
}
