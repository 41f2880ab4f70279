import { formatExactJson } from '@widget-service/client/json/exact-json.ts';

/** One value of a payload that differs from the one before it. */
export interface PayloadChange {
  /** The names on the way to the value, separated by dots: `engine.temperature`. Empty for a payload without names. */
  readonly path: string;
  /** Null: no payload before had this value. */
  readonly before: string | null;
  readonly after: string;
}

/** Deeper values are one text. */
const mostLevels = 6;

/**
 * Returns what each payload changed, compared with the latest value that an earlier payload had at the same place. The
 * payloads are those of one widget, the oldest first. A payload may have a part of the values only, so a value that is
 * missing has not changed.
 */
export function listChanges(payloads: readonly unknown[]): PayloadChange[][] {
  const known = new Map<string, string>();
  return payloads.map((payload) => {
    const changes: PayloadChange[] = [];
    for (const [path, after] of readValues(payload)) {
      const before = known.get(path) ?? null;
      if (before !== after) changes.push({ path, before, after });
      known.set(path, after);
    }
    return changes;
  });
}

/** Returns the values of a payload as texts, by their paths. None for null, which stands for no payload. */
export function readValues(payload: unknown): Map<string, string> {
  const values = new Map<string, string>();
  if (payload !== null) collect(payload, '', mostLevels, values);
  return values;
}

function collect(value: unknown, path: string, levels: number, values: Map<string, string>): void {
  const members = levels > 0 && isPlain(value) ? Object.entries(value) : [];
  for (const [name, member] of members) {
    collect(member, path === '' ? name : `${path}.${name}`, levels - 1, values);
  }
  if (members.length === 0) values.set(path, typeof value === 'string' ? value : formatExactJson(value));
}

/** Whether it has members: a list or an object, and no number that keeps its digits. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

const longestShown = 40;

/** Shortens a value for a line of the history. */
export function shortenValue(value: string): string {
  const letters = [...value.slice(0, 2 * longestShown)];
  const isShort = value.length <= longestShown;
  return isShort ? value : `${letters.slice(0, longestShown - 1).join('')}…`;
}
