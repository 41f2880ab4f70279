/**
 * Returns the value of a key that somebody else has chosen, such as the kind of a hook. Returns undefined if the table
 * does not have it: a plain `table[key]` would also find what every object inherits, such as `constructor`.
 */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
