/** A world that is small enough to explore every reachable state. States are plain data. */
export interface Model<State> {
  readonly start: State;
  /** Returns a key that differs for different states. Short keys make the search faster. */
  readonly makeKey: (state: State) => string;
  /** Returns every state that may come next. */
  readonly listSuccessors: (state: State) => Iterable<State>;
  /** Returns what is wrong with a state, or null. */
  readonly findViolation: (state: State) => string | null;
}

export interface Exploration {
  readonly states: number;
  readonly violation: string | null;
  /** The keys of the states from the start to the violation. Empty without a violation. */
  readonly path: readonly string[];
}

/** Explores every reachable state, breadth first, so the path to a violation is one of the shortest. */
export function exploreEvery<State>({ start, makeKey, listSuccessors, findViolation }: Model<State>): Exploration {
  const startKey = makeKey(start);
  const predecessors = new Map<string, string | null>([[startKey, null]]);
  let frontier: [string, State][] = [[startKey, start]];
  while (frontier.length > 0) {
    const next: [string, State][] = [];
    for (const [from, state] of frontier) {
      for (const successor of listSuccessors(state)) {
        const key = makeKey(successor);
        if (predecessors.has(key)) continue;
        predecessors.set(key, from);
        const violation = findViolation(successor);
        if (violation !== null) return { states: predecessors.size, violation, path: buildPath(key, predecessors) };
        next.push([key, successor]);
      }
    }
    frontier = next;
  }
  return { states: predecessors.size, violation: null, path: [] };
}

function buildPath(key: string, predecessors: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let at: string | null = key; at !== null; at = predecessors.get(at) ?? null) path.unshift(at);
  return path;
}
