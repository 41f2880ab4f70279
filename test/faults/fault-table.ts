import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckerName } from '../checkers/all-checkers.ts';

/** The result of one fault: the operations since the last checkpoint, and the violations after it. */
export interface FaultRow {
  /** The name of the fault. `docs/reliability.md` lists all faults. */
  readonly fault: string;
  readonly operations: { readonly ok: number; readonly refused: number; readonly unknown: number };
  /** The open streams, and how often streams have reconnected since the last checkpoint. */
  readonly streams: number;
  readonly reconnections: number;
  /** The distinct events since the last checkpoint, and how often streams have received one. */
  readonly events: number;
  readonly eventsReceived: number;
  /** From the end of the load until the cluster was idle and its processes were read, in milliseconds. */
  readonly idleAfterMs: number;
  /** The heap of the process that has grown most, as a multiple of its first measurement. */
  readonly heapGrowth: number;
  readonly violations: Readonly<Record<CheckerName, number>>;
}

/** The variable that names the folder in which scenarios save their rows. */
export const tableFolderVariable = 'FAULT_TABLE_FOLDER';

/** Formats one line per fault: the counts, then the violations of each checker. */
export function formatFaultTable(rows: readonly FaultRow[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const checkers = Object.keys(first.violations) as CheckerName[];
  const operationColumns = ['accepted', 'refused', 'unknown'];
  const streamColumns = ['streams', 'reconnections', 'events', 'events received'];
  const lines = rows.map((row) => [
    row.fault,
    ...[row.operations.ok, row.operations.refused, row.operations.unknown].map(String),
    ...[row.streams, row.reconnections, row.events, row.eventsReceived].map(String),
    `${(row.idleAfterMs / 1_000).toFixed(1)} s`,
    `× ${row.heapGrowth.toFixed(2)}`,
    ...checkers.map((checker) => String(row.violations[checker])),
  ]);
  const table = [['fault', ...operationColumns, ...streamColumns, 'idle after', 'heap', ...checkers], ...lines];
  return formatColumns(table);
}

/** Formats lines of cells, the first column from the left. */
export function formatColumns(table: readonly (readonly string[])[]): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  const format = (line: readonly string[]) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return table.map(format).join('\n');
}

/** Saves a scenario's rows for the table of all scenarios. Does nothing if the variable names no folder. */
export async function saveFaultRows(scenario: string, rows: readonly FaultRow[]): Promise<void> {
  const folder = process.env[tableFolderVariable] ?? '';
  if (folder === '') return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${scenario.replaceAll(/\W+/g, '-')}.json`), JSON.stringify(rows));
}

/** Loads the saved rows of all scenarios, in order of the scenarios' names. */
export async function loadFaultRows(folder: string): Promise<FaultRow[]> {
  const names = (await readdir(folder).catch(() => [])).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => JSON.parse(text) as FaultRow[]);
}
