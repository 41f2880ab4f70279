import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WidgetFilter } from '@widget-service/shared/ports/widget-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import type { Database } from './database.ts';

/** About a millisecond's walk: requests and streams are served in between. */
const stepRows = 10_000;
const maxWaiting = 100;

/** The values of a filter's condition: the widgets that stand behind a place, newest first. */
type Conditions = readonly (string | number)[];

/** Where a walk has come to: `passed` matching widgets stand before it. */
interface WalkedTo {
  readonly conditions: Conditions;
  readonly passed: number;
}

/** A filter's condition with the place behind which its widgets stand, for `Conditions`. */
export const walkConditions = {
  any: '(created_at, id) < (?, ?)',
  inState: 'state = ? AND (created_at, id) < (?, ?)',
} as const;

export const newestFirst = 'ORDER BY created_at DESC, id DESC';

/** `rows` may be more than there are. */
export type SkipRows = (filter: WidgetFilter, rows: number) => Promise<WalkedTo>;

/**
 * Passes widgets by, newest first, in the index alone and in steps between which others have their turn: until at most
 * one step of the `rows` is left, or less than one of the widgets. SQLite answers within the call, so that a million
 * rows at one go would hold up everything else. One walk at a time, so that many at once do not add up to the same;
 * throws `UnavailableError` when its turn does not come. What changes meanwhile may or may not be seen, as between two
 * pages.
 */
export function makeSkipRows(db: Database): SkipRows {
  const inTurn = createSemaphore({
    what: 'SQLite, a walk through the widgets',
    maxRunning: 1,
    maxWaiting,
    maxWaitMs: requestDeadlineMs,
  });
  const stepWhere = (condition: string): StatementSync =>
    db.prepare(`SELECT created_at, id FROM widgets WHERE ${condition} ${newestFirst} LIMIT 1 OFFSET ${stepRows - 1}`);
  const steps = { any: stepWhere(walkConditions.any), inState: stepWhere(walkConditions.inState) };

  const walk = async ({ state, createdAtOrBefore }: WidgetFilter, rows: number): Promise<WalkedTo> => {
    const step = steps[conditionKind(state)];
    let conditions = startConditions(state, createdAtOrBefore);
    let passed = 0;
    while (rows - passed > stepRows) {
      const reached = await db.read(() => step.get(...conditions));
      if (reached === undefined) break;
      conditions = toConditions(state, Number(reached.created_at), String(reached.id));
      passed += stepRows;
      await nextTurn();
    }
    return { conditions, passed };
  };

  return (filter, rows) => (rows > stepRows ? inTurn(() => walk(filter, rows)) : walk(filter, rows));
}

export function conditionKind(state: WidgetFilter['state']): 'any' | 'inState' {
  return state === null ? 'any' : 'inState';
}

// No id stands before the empty one: this is behind everything younger, and before all that is of that time.
function startConditions(state: WidgetFilter['state'], createdAtOrBefore: Date | null): Conditions {
  return toConditions(
    state,
    createdAtOrBefore === null ? Number.MAX_SAFE_INTEGER : createdAtOrBefore.getTime() + 1,
    '',
  );
}

function toConditions(state: WidgetFilter['state'], createdAt: number, id: string): Conditions {
  return state === null ? [createdAt, id] : [state, createdAt, id];
}
