import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { HookChangedMembers, Widget } from '@widget-service/shared/domain/widget.ts';
import { parseLabels, serializeLabels, toDate, toFlag, toMs } from './sqlite-values.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** How one member of a widget is stored. */
interface Member<T> {
  readonly columns: readonly string[];
  /** Returns the values in the order of `columns`. */
  readonly toValues: (value: T) => readonly SQLInputValue[];
  readonly read: (row: Row) => T;
}

/** A member that its column holds unchanged. */
const asIs = <T extends SQLInputValue>(column: string): Member<T> => ({
  columns: [column],
  toValues: (value) => [value],
  read: (row) => row[column] as T,
});

const time = (column: string): Member<Date> => ({
  columns: [column],
  toValues: (date) => [date.getTime()],
  read: (row) => new Date(row[column] as number),
});

const nullableTime = (column: string): Member<Date | null> => ({
  columns: [column],
  toValues: (date) => [toMs(date)],
  read: (row) => toDate(row[column] as number | null),
});

/** How each member of a widget is stored in SQLite. */
const members: { readonly [K in keyof Widget]: Member<Widget[K]> } = {
  id: asIs('id'),
  name: asIs('name'),
  state: asIs('state'),
  labels: {
    columns: ['labels'],
    toValues: (labels) => [serializeLabels(labels)],
    read: (row) => parseLabels(row.labels as string),
  },
  owner: {
    columns: ['owner_user_id', 'owner_email', 'owner_notify'],
    toValues: (owner) => (owner === null ? [null, null, null] : [owner.userId, owner.email, Number(owner.notify)]),
    read: ({ owner_user_id: userId, owner_email: email, owner_notify: notify }) =>
      userId === null ? null : { userId: userId as string, email: email as string, notify: toFlag(notify as number) },
  },
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
  retiredAt: nullableTime('retired_at'),
  lastEventAt: nullableTime('last_event_at'),
  version: asIs('version'),
};

const unindexed: { readonly [K in keyof Omit<HookChangedMembers, 'state'>]: Member<Widget[K]> } = {
  updatedAt: members.updatedAt,
  retiredAt: members.retiredAt,
  lastEventAt: members.lastEventAt,
  version: members.version,
};

/** Converts between some members and their columns. */
function makeColumns<T extends object>(table: { readonly [K in keyof T]: Member<T[K]> }) {
  const names = Object.keys(table) as (keyof T)[];
  const toValuesOf = <K extends keyof T>(name: K, from: T) => table[name].toValues(from[name]);
  return {
    columns: names.flatMap((name) => table[name].columns),
    /** Returns the values in the order of `columns`. */
    toValues: (from: T) => names.flatMap((name) => toValuesOf(name, from)),
    read: (row: Row) => Object.fromEntries(names.map((name) => [name, table[name].read(row)])) as T,
  };
}

export const widgetColumns = makeColumns<Widget>(members);
/** What a hook may change. `outbox_entries` has these columns, too. */
export const hookChangedColumns = makeColumns<HookChangedMembers>({ state: members.state, ...unindexed });
/** The same without `state`, the only indexed column of them. */
export const unindexedColumns = makeColumns<Omit<HookChangedMembers, 'state'>>(unindexed);

/** Returns a placeholder per column. */
export function toPlaceholders(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}
