import { UnavailableError } from '../domain/errors.ts';
import type { ListedRow, RowRange } from '../domain/page.ts';

type Value = string | number | boolean | Date | null;

/** What a member must be. Null also matches a member that is absent. */
export type Condition =
  | Value
  | {
      readonly above?: Date | string | number | undefined;
      readonly atLeast?: Date | string | number | undefined;
      readonly below?: Date | string | number | undefined;
      readonly not?: string | undefined;
      readonly oneOf?: readonly string[] | undefined;
      /** A part of a text. Letters from A to Z match in either case, all others exactly. */
      readonly contains?: string | undefined;
    };

/** Conditions that all hold. A member of a member is written `member.member`. Undefined: no condition. */
export type Where<T> = {
  readonly [Path in (keyof T & string) | `${keyof T & string}.${string}`]?: Condition | undefined;
};

/**
 * The entities of one kind. A write is durable (cluster: on a majority) before its promise resolves, unless they are
 * `mayBeLost`. Throws `UnavailableError`, and `UnreadableRowError` for a damaged entity; a list has null in its place.
 */
export interface Collection<T> {
  /**
   * Returns false, and stores nothing, if another entity has its key or a unique member. Of concurrent inserts of one
   * key exactly one returns true.
   */
  insert(entity: T): Promise<boolean>;
  /** May return an expired entity that the store has not removed yet. */
  get(key: string): Promise<T | null>;
  /** Finds the entity for which one of the alternatives holds. If there are several, any of them. */
  find(...alternatives: readonly Where<T>[]): Promise<T | null>;
  /** Returns a page in the order of the entity's definition. Members marked `unlisted` are empty texts. */
  list(where: Where<T>, range: RowRange): Promise<ListedRow<T>[]>;
  /** Counts up to `atMost`. The time grows with the result. */
  count(where: Where<T>, atMost: number): Promise<number>;
  /**
   * Changes an entity by compare-and-set: writes the members that `decide` returns for the current entity. If another
   * change came in between, calls `decide` again with the new entity, so that no change is overwritten. Returns the
   * changed entity. Returns null, and changes nothing, if there is no such entity, if `decide` returns null, or if
   * another entity has one of its unique members. `decide` must have no side effects; a `ServiceError` that it throws
   * is passed on.
   */
  change(key: string, decide: (current: T) => Partial<T> | null): Promise<T | null>;
  /** Returns false if there is no such entity. */
  remove(key: string): Promise<boolean>;
  /** Removes all that match. */
  removeAll(where: Where<T>): Promise<void>;
}

/**
 * Inserts an entity whose key and unique members are new random values. Throws `UnavailableError`, also if a value is
 * taken: the caller's retry makes new ones.
 */
export async function insertNew<T>(collection: Pick<Collection<T>, 'insert'>, entity: T): Promise<void> {
  if (!(await collection.insert(entity))) throw new UnavailableError('a new random key is taken');
}
