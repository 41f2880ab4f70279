import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Shown instead of the title, which then is only for screen readers. */
  readonly header?: ComponentChildren;
  /** Numbers stand at the end of the column, so that their digits are below each other. */
  readonly isNumber?: boolean;
}

interface TableProperties<Row> {
  /** The accessible name. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** The index of the column that names the row. Default: the first. */
  readonly namedBy?: number;
}

/** A table. Where it is too wide, it becomes a list of cards whose cells name themselves. */
export function Table<Row>({ label, rows, keyOf, columns, namedBy = 0 }: TableProperties<Row>) {
  return (
    <table class="table" aria-label={label}>
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
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, header, isNumber = false }, index) =>
              index === namedBy ? (
                <th key={title} scope="row" dir="auto">
                  {cell(row)}
                </th>
              ) : (
                <td
                  key={title}
                  class={isNumber ? 'number' : undefined}
                  data-label={header === undefined ? title : undefined}
                >
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
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
