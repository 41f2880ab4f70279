import { z } from 'zod';

/** A time of an entity. SQLite has it in milliseconds of Unix time, MongoDB as its own type. From year 0 to 9999. */
export const storedTime = z.codec(z.int().min(-62_167_219_200_000).max(253_402_300_799_999), z.date(), {
  decode: (ms) => new Date(ms),
  encode: (time) => time.getTime(),
});

/** Members in the order of the index. `-` before a name: descending. `a.b` is the member `b` of the member `a`. */
export type IndexMembers = readonly string[];

export interface EntityOptions<Shape extends z.ZodRawShape> {
  /** The collection of MongoDB and the table of SQLite. */
  readonly name: string;
  /** Each member with its schema. Whatever a store returns was checked against it. */
  readonly members: z.ZodObject<Shape>;
  /** The member that no two entities share, and that never changes. A text. */
  readonly key: keyof Shape & string;
  /** What a log line calls a damaged row. A member that is no secret. */
  readonly namedBy: keyof Shape & string;
  /** Of lists. Newest first: descending. */
  readonly order?: readonly (keyof Shape & string)[];
  /** By their names. */
  readonly indexes?: Readonly<Record<string, IndexMembers>>;
  /** Texts that no two entities share, by the names of their indexes. Null: none. */
  readonly unique?: Readonly<Record<string, keyof Shape & string>>;
  /** The time at which the store removes an entity, some time later. Null: never. */
  readonly expires?: keyof Shape & string;
}

/** One kind of thing that the service stores: the one place that says what its members are. */
export interface Entity<T> {
  readonly name: string;
  readonly key: string;
  readonly namedBy: string;
  readonly order: readonly string[];
  readonly indexes: Readonly<Record<string, IndexMembers>>;
  readonly unique: Readonly<Record<string, string>>;
  readonly expires: string | null;
  mayBeNull(member: string): boolean;
  /** Returns the members, with times in milliseconds. Members that are undefined stay away. */
  encode(members: Partial<T>): Record<string, unknown>;
  /** Checks the members, with times in milliseconds. Ignores others: a newer version may have added them. */
  decode(members: Readonly<Record<string, unknown>>): Decoded<T>;
}

/** `path`: the first wrong member. Nothing says what it holds. */
export type Decoded<T> = { readonly entity: T } | { readonly path: string };

/** Defines an entity. Its type is `EntityOf<typeof definition>`. */
export function defineEntity<Shape extends z.ZodRawShape>({
  members,
  order = [],
  indexes = {},
  unique = {},
  expires,
  ...rest
}: EntityOptions<Shape>): Entity<Readonly<z.output<z.ZodObject<Shape>>>> {
  type T = z.output<z.ZodObject<Shape>>;
  const changes = members.partial();
  return {
    ...rest,
    order,
    indexes,
    unique,
    expires: expires ?? null,
    mayBeNull: (member) => z.safeParse(members.shape[member] as z.ZodType, null).success,
    encode: (entity) => z.encode(changes, entity as z.output<typeof changes>) as Record<string, unknown>,
    decode: (stored) => {
      const { success, data, error } = members.safeDecode(stored as z.input<typeof members>);
      return success ? { entity: data as T } : { path: error.issues[0]?.path.join('.') ?? '' };
    },
  };
}

export type EntityOf<E> = E extends Entity<infer T> ? T : never;
