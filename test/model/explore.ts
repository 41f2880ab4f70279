/** A small world whose every reachable state can be looked at. States are plain data. */
export interface Model<State> {
  readonly start: State;
  /** Tells states apart; the shorter, the faster. */
  readonly keyOf: (state: State) => string;
  /** Everything that may happen next. */
  readonly successors: (state: State) => Iterable<State>;
  /** What must never be, in words; null where all is well. */
  readonly violationIn: (state: State) => string | null;
}

export interface Exploration {
  readonly states: number;
  readonly violation: string | null;
  /** How the violation came about: the keys of the states from the first to the last. Empty when there is none. */
  readonly path: readonly string[];
}

/** Looks at every reachable state, nearest first, so that a violation is met on one of the shortest ways to it. */
export function exploreEvery<State>({ start, keyOf, successors, violationIn }: Model<State>): Exploration {
  const startKey = keyOf(start);
  const cameFrom = new Map<string, string | null>([[startKey, null]]);
  let frontier: [string, State][] = [[startKey, start]];
  while (frontier.length > 0) {
    const next: [string, State][] = [];
    for (const [from, state] of frontier) {
      for (const reached of successors(state)) {
        const key = keyOf(reached);
        if (cameFrom.has(key)) continue;
        cameFrom.set(key, from);
        const violation = violationIn(reached);
        if (violation !== null) return { states: cameFrom.size, violation, path: pathTo(key, cameFrom) };
        next.push([key, reached]);
      }
    }
    frontier = next;
  }
  return { states: cameFrom.size, violation: null, path: [] };
}

function pathTo(key: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let at: string | null = key; at !== null; at = cameFrom.get(at) ?? null) path.unshift(at);
  return path;
}
