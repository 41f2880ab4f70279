import { z } from 'zod';
import { time, uuid } from './shape-checks.ts';

/** A time, from year 0 to 9999. MongoDB has it as a Date, SQLite in milliseconds of Unix time. */
export const storedTime = z.codec(z.union([z.date(), z.int()]), z.date().refine(time), {
  decode: (stored) => new Date(stored),
  encode: (value) => value,
});

/** A UUID of any version, in lower case. */
export const storedUuid = z.string().refine(uuid);

/** A value that is stored as a JSON text, because the names of its members may be any text, such as `$where`. */
export function jsonText<Schema extends z.ZodType>(schema: Schema) {
  return z.codec(z.string(), schema, {
    decode: (text, context) => {
      try {
        return JSON.parse(text) as z.input<Schema>;
      } catch {
        context.issues.push({ code: 'custom', message: 'no JSON', input: text });
        return z.NEVER;
      }
    },
    encode: (value) => JSON.stringify(value),
  });
}

/**
 * Second argument of zod's `min` and `max` for arrays. Without it, zod 4.6 also checks values that already failed the
 * type check. It then throws for an object whose `length` cannot be converted to a number, such as
 * `{"toString":1,"valueOf":1}`. Zod's types do not declare this option.
 */
export const forArrayLength: object = { when: ({ value }: { value: unknown }) => Array.isArray(value) };

/** Members in the order of the index. `-` before a name: descending. `a.b` is the member `b` of the member `a`. */
export type IndexMembers = readonly string[];

/** How a kind of thing is stored. `Member`: the name of one of its members. */
interface Marks<Member extends string> {
  /** The collection of MongoDB and the table of SQLite. */
  readonly name: string;
  /** The member that no two entities share, and that never changes. A text. */
  readonly key: Member;
  /** The member that concurrent inserts may race for, which never changes either: the `_id` of a document (ADR 5). */
  readonly documentId: Member;
  /** What a log line calls a damaged row. A member that is no secret. */
  readonly namedBy: Member;
  /** Of lists. Newest first: descending. */
  readonly order: readonly Member[];
  /** By their names. */
  readonly indexes: Readonly<Record<string, IndexMembers>>;
  /** Texts that no two entities share, by the names of their indexes. Entities that lack the first may share it. */
  readonly unique: Readonly<Record<string, readonly string[]>>;
  /** A text that may be long: a list has an empty one in its place. */
  readonly unlisted: Member | null;
  /** The time at which the store removes an entity, some time later. Null: never. */
  readonly expires: Member | null;
  /** The store refuses every change of an entity, if it can: a mistake in the service must not make one either. */
  readonly neverChanges: boolean;
  /** A power cut may undo the last writes: SQLite does not sync them, which would delay the hooks of that moment. */
  readonly mayBeLost: boolean;
}

/** What a definition may leave out. It may also leave out `documentId`: then it is the key. */
const defaults = {
  ...{ order: [], indexes: {}, unique: {} },
  ...{ unlisted: null, expires: null, neverChanges: false, mayBeLost: false },
} as const;

/** One kind of thing that the service stores: the one place that says what its members are. */
export interface Entity<T> extends Marks<string> {
  /** Whether an entity may lack the member at this path, or the one that it belongs to. */
  mayBeAbsent(path: string): boolean;
  /** Returns the members as they are stored, with times as Dates. Members that are undefined stay away. */
  encode(members: Partial<T>): Record<string, unknown>;
  /**
   * Checks stored members; times are Dates or milliseconds. Ignores others: a newer version may have added them. Throws
   * a `ZodError` that names the wrong ones.
   */
  decode(members: Readonly<Record<string, unknown>>): T;
}

type Definition<Shape extends z.ZodRawShape, Member extends string = keyof Shape & string> = Partial<Marks<Member>> &
  Pick<Marks<Member>, 'name' | 'key' | 'namedBy'> & {
    /** Each member with its schema. Whatever a store returns was checked against it. */
    readonly members: z.ZodObject<Shape>;
  };

/** Defines an entity. Its type is `EntityOf<typeof definition>`. */
export function defineEntity<Shape extends z.ZodRawShape>({
  members,
  ...marks
}: Definition<Shape>): Entity<DeepReadonly<z.output<z.ZodObject<Shape>>>> {
  type T = DeepReadonly<z.output<z.ZodObject<Shape>>>;
  const changes = members.partial();
  return {
    documentId: marks.key,
    ...defaults,
    ...marks,
    mayBeAbsent: (path) => {
      const schema = members.shape[path.split('.')[0] ?? ''] as unknown as z.ZodType;
      return [null, undefined].some((value) => schema.safeParse(value).success);
    },
    encode: (entity) => {
      const encoded = z.encode(changes, entity as unknown as z.output<typeof changes>);
      return Object.fromEntries(Object.entries(encoded).filter(([, value]) => value !== undefined));
    },
    decode: (stored) => members.decode(stored as z.input<typeof members>) as unknown as T,
  };
}

export type DeepReadonly<T> = T extends Date
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
      : T;

export type EntityOf<E> = E extends Entity<infer T> ? T : never;
