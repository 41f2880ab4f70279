/**
 * The shape of a value in JSON, as far as this library needs it. A type name; `[shape]` for an array; an object with
 * the shapes of its members; `{ '?': shape }` for a value that may be null.
 */
export type Shape = 'any' | 'string' | 'number' | 'boolean' | readonly [Shape] | { readonly [member: string]: Shape };

/** What an operation answers when it succeeds: its statuses, and the shape of the body. Null: it has none. */
export interface Answer {
  readonly statuses: readonly number[];
  readonly body: Shape | null;
}

/**
 * True if the value may be what the service has answered. All members that are there must have the right type. A few
 * may be missing, because a service of an older version lacks what was added later; something else lacks most of them.
 */
export function hasShape(value: unknown, shape: Shape): boolean {
  if (shape === 'any') return true;
  if (typeof shape === 'string') return typeof value === shape;
  if (isArrayShape(shape)) return Array.isArray(value) && value.every((item) => hasShape(item, shape[0]));
  const nullable = shape['?'];
  if (nullable !== undefined) return value === null || hasShape(value, nullable);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members = Object.entries(shape);
  const present = members.filter(([name]) => Object.hasOwn(value, name));
  return (
    present.length * 2 >= members.length &&
    present.every(([name, member]) => hasShape((value as Record<string, unknown>)[name], member))
  );
}

/** `Array.isArray` does not narrow readonly tuples. */
function isArrayShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
