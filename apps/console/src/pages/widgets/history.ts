import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import type { Schemas } from '../../service/service.ts';

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

type Change = Pick<Schemas['Delivery'], 'state'> & { readonly effect: { readonly version: number } | null };

/** The last page of a widget's deliveries, and how many there are on all pages. */
interface LastPage {
  readonly items: readonly Change[];
  readonly page: number;
  readonly totalItems: number;
}

/**
 * Returns the versions between the creation (version 1) and the oldest listed change: the service no longer has the
 * hooks that led to them. `latestVersion` is the widget's. Null: there are none, or it is not certain.
 */
export function findExpiredHooks(
  { items, page, totalItems }: LastPage,
  latestVersion: number,
): { readonly from: number; readonly to: number } | null {
  const versions = items.flatMap(({ effect }) => (effect === null ? [] : [effect.version]));
  if (versions.length === 0 && page > 1) return null;
  // A received hook may be one that is applied but not published yet.
  const received = items.filter(({ state }) => state === 'received').length;
  const to = versions.length > 0 ? Math.min(...versions) - 1 : latestVersion - received;
  // Then an older version is on an earlier page: a hook that was redriven keeps its place, but has a later version.
  if (page > 1 && totalItems > latestVersion - to) return null;
  return to >= 2 ? { from: 2, to } : null;
}
