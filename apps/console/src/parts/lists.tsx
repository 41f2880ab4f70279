import { computed, type ReadonlySignal, useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { changeQuery, query, readTime } from '../router/router.tsx';
import { type Resource, type ResourceOptions, useResource } from '../service/use-service.ts';
import { Button } from './button.tsx';
import { EmptyState, ReadState } from './messages.tsx';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Shown instead of the title. Null: the title is only for screen readers. */
  readonly header?: ComponentChildren;
  /** Numbers stand at the end of the column, so that their digits are below each other. */
  readonly isNumber?: boolean;
  /** The class of its cells. */
  readonly class?: string;
}

interface TableProperties<Row> {
  /** The accessible name. */
  readonly label: string;
  readonly class?: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** The index of the column that names the row. Default: the first. */
  readonly namedBy?: number;
  /** What is shown below a row. Default: nothing. */
  readonly detailsOf?: (row: Row) => ComponentChildren;
}

/** A table. Where it is too wide, it becomes a list of cards whose cells name themselves. */
export function Table<Row>(properties: TableProperties<Row>) {
  const { label, class: ownClass = '', rows, keyOf, columns, namedBy = 0, detailsOf } = properties;
  return (
    <table class={`table ${ownClass}`} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, header, isNumber = false }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {header === undefined ? title : (header ?? <span class="visually-hidden">{title}</span>)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const details = detailsOf?.(row) ?? null;
          return (
            <Fragment key={keyOf(row)}>
              <tr>
                {columns.map(({ title, cell, header, isNumber = false, class: ofCell }, index) =>
                  index === namedBy ? (
                    <th key={title} scope="row" class={ofCell} dir="auto">
                      {cell(row)}
                    </th>
                  ) : (
                    <td
                      key={title}
                      class={isNumber ? `number ${ofCell ?? ''}` : ofCell}
                      data-label={header === undefined ? title : undefined}
                    >
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
              {details === null ? null : (
                <tr class="details-row">
                  <td colSpan={columns.length}>{details}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

/** The last column: what can be done with a row. */
export function actionsColumn<Row>(render: (row: Row) => ComponentChildren): Column<Row> {
  return {
    title: 'Actions',
    header: null,
    cell: (row) => <div class="table-actions">{render(row)}</div>,
  };
}

interface RowButtonProperties {
  readonly label: string;
  /** The name of the row, for screen readers: `Revoke: my screen`. */
  readonly row: string;
  readonly kind?: 'danger';
  readonly isBusy?: boolean;
  readonly onClick: () => void;
}

export function RowButton({ label, row, ...button }: RowButtonProperties) {
  return (
    <Button {...button} aria-label={`${label}: ${row}`}>
      {label}
    </Button>
  );
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
}

interface Pages<Data> extends Resource<Data> {
  readonly goToPage: (page: number) => void;
  /** How many new rows the latest answer has at the top; 0: it has other changes. Null: nothing is new. */
  readonly waiting: number | null;
  readonly readLatest: () => Data | null;
  /** Shows the rows of the latest answer. */
  readonly showLatest: () => void;
}

interface PageQuery {
  /** The number of the page, from 1. */
  readonly page: number;
  /** RFC 3339. Only rows before this time are read, so that new ones do not shift further pages. Left out: all rows. */
  readonly to?: string;
}

interface PagesOptions<Item> extends ResourceOptions {
  /** Returns the key of a row. With it, rows change in their places, and new ones wait behind a button. */
  readonly keyOf?: (item: Item) => string;
  /** For a list that can be read as of a time: the time by which it is ordered. */
  readonly timeOf?: (item: Item) => string;
}

/** The latest answer, and what is shown: its rows, or the earlier rows with their current values. */
interface Answer<Data> {
  readonly latest: Data;
  readonly shown: Data;
}

/** Reads a list of the service page by page. The page is in the address. See `useResource`. */
export function usePages<Item, Data extends Page<Item>>(
  read: (query: PageQuery, signal: AbortSignal) => Promise<Data & Page<Item>>,
  inputs: readonly unknown[],
  { keyOf, timeOf, ...options }: PagesOptions<Item> = {},
): Pages<Data> {
  const page = Math.max(1, Math.trunc(Number(query.value.get('page'))) || 1);
  const asOf = timeOf === undefined || page === 1 ? null : readTime('asOf');
  /** Whether to show the next answer at once, because the person has asked for it. */
  const isAsked = useRef(false);
  const list: Resource<Answer<Data>> = useResource(
    async (signal) => {
      const latest = await read({ page, ...(asOf === null ? {} : { to: asOf }) }, signal);
      signal.throwIfAborted();
      const rows = isAsked.current ? [] : (data.peek()?.items ?? []);
      isAsked.current = false;
      if (keyOf === undefined || rows.length === 0) return { latest, shown: latest };
      return { latest, shown: { ...latest, items: renewRows(rows, latest.items, keyOf) } };
    },
    [page, asOf, ...inputs],
    options,
  );
  /** The answer that the person wants to see as it is. */
  const wanted = useSignal<object | null>(null);
  const data: ReadonlySignal<Data | null> = useMemo(
    () =>
      computed(() => {
        const answer = list.data.value;
        return (answer === wanted.value ? answer?.latest : answer?.shown) ?? null;
      }),
    [list.data],
  );
  const showLatest = () => (wanted.value = list.data.peek());
  const readLatest = () => list.data.value?.latest ?? null;
  const latest = readLatest()?.items ?? [];
  const waiting = keyOf === undefined ? null : countWaiting(data.value?.items ?? [], latest, keyOf);
  const goToPage = (next: number) => {
    const [newest] = data.value?.items ?? [];
    // The service lists what is before this time, and the newest row belongs to it.
    const start = newest === undefined || timeOf === undefined ? null : Date.parse(timeOf(newest)) + 1;
    const now = asOf ?? (start === null || page > 1 ? null : new Date(start).toISOString());
    changeQuery({
      page: next === 1 ? null : String(next),
      ...(timeOf === undefined ? {} : { asOf: next === 1 ? null : now }),
    });
  };
  const reload = () => {
    isAsked.current = true;
    return list.reload();
  };
  return { ...list, data, reload, goToPage, waiting, readLatest, showLatest };
}

/** Counts the new rows, which are at the top, up to the first known row. Null: both have the same rows. */
function countWaiting<Row>(shown: readonly Row[], latest: readonly Row[], keyOf: (row: Row) => string): number | null {
  const known = new Set(shown.map(keyOf));
  const now = new Set(latest.map(keyOf));
  if (known.size === now.size && [...known].every((key) => now.has(key))) return null;
  const index = latest.findIndex((row) => known.has(keyOf(row)));
  return index === -1 ? latest.length : index;
}

/** Returns the shown rows in their order, each as the latest answer has it. A row that it does not have stays. */
function renewRows<Row>(shown: readonly Row[], latest: readonly Row[], keyOf: (row: Row) => string): readonly Row[] {
  const byKey = new Map(latest.map((row) => [keyOf(row), row]));
  return shown.map((row) => byKey.get(keyOf(row)) ?? row);
}

interface PagedListProperties<Item> {
  readonly list: Pages<Page<Item>>;
  /** The failure of something else that concerns the list. */
  readonly error?: unknown;
  /** Shown instead of an empty list. Left out for a list that is never empty. */
  readonly empty?: { readonly title: string; readonly text: string } | undefined;
  /** Gets at least one item. */
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** One page of a list, with the way to the others. New rows wait behind a button. */
export function PagedList<Item>({ list, error = null, empty, children }: PagedListProperties<Item>) {
  const { waiting, showLatest } = list;
  return (
    <ReadState read={list} error={error}>
      {(read) => (
        <>
          {empty !== undefined && read.items.length === 0 ? <EmptyState {...empty} /> : null}
          {read.items.length === 0 ? null : (
            <div>
              {waiting === null ? null : (
                <div class="show-new-rows">
                  <Button kind="primary" onClick={showLatest}>
                    {waiting === 0 ? 'Show changes' : `Show ${waiting}${waiting === read.items.length ? '+' : ''} new`}
                  </Button>
                </div>
              )}
              {children(read.items)}
            </div>
          )}
          <Pager {...read} onPage={list.goToPage} />
        </>
      )}
    </ReadState>
  );
}

interface PagedTableProperties<Item>
  extends Omit<PagedListProperties<Item>, 'children'>,
    Omit<TableProperties<Item>, 'rows'> {
  /** Default: as the service lists them. */
  readonly sort?: (items: readonly Item[]) => readonly Item[];
}

/** One page of a list as a table. */
export function PagedTable<Item>({ list, error, empty, sort, ...table }: PagedTableProperties<Item>) {
  return (
    <PagedList list={list} error={error} empty={empty}>
      {(items) => <Table rows={sort?.(items) ?? items} {...table} />}
    </PagedList>
  );
}

interface PagerProperties extends Omit<Page<unknown>, 'items'> {
  readonly onPage: (page: number) => void;
}

/** Leads to the next and the previous page of a list. Nothing if there is only one. */
export function Pager({ page, totalPages, hasNext, onPage }: PagerProperties) {
  if (page === 1 && !hasNext) return null;
  return (
    <nav class="pager" aria-label={`Page ${page} of ${totalPages}`}>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous page
      </Button>
      <span>{`Page ${page} of ${totalPages}`}</span>
      <Button disabled={!hasNext} onClick={() => onPage(page + 1)}>
        Next page
      </Button>
    </nav>
  );
}
