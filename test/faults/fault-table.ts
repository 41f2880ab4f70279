import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckerName } from '../checkers/all-checkers.ts';

/** What was seen of one fault: the operations since the checkpoint before, and what is wrong after it. */
export interface FaultRow {
  readonly fault: string;
  readonly operations: { readonly ok: number; readonly refused: number; readonly unknown: number };
  /** Streams that were open, and connections they have made anew since the checkpoint before. */
  readonly streams: number;
  readonly reconnections: number;
  /** Events told since the checkpoint before, and deliveries of them to streams. */
  readonly events: number;
  readonly deliveries: number;
  /** From the last request until all had come to rest, in milliseconds. */
  readonly restedAfterMs: number;
  /** Of the process whose heap has grown most since it was first looked at: now as a multiple of then. */
  readonly heapGrowth: number;
  readonly violations: Readonly<Record<CheckerName, number>>;
}

/** The variable by which a run of all scenarios tells each where its table goes. */
export const tableFolderVariable = 'FAULT_TABLE_FOLDER';

/** One line per fault, the violations of each checker behind the counts. */
export function formatFaultTable(rows: readonly FaultRow[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const checkers = Object.keys(first.violations) as CheckerName[];
  const counts = ['ok', 'refused', 'unknown', 'streams', 'reconnects', 'events', 'deliveries', 'at rest', 'heap'];
  const lines = rows.map((row) => [
    row.fault,
    ...[row.operations.ok, row.operations.refused, row.operations.unknown].map(String),
    ...[row.streams, row.reconnections, row.events, row.deliveries].map(String),
    `${(row.restedAfterMs / 1_000).toFixed(1)} s`,
    `× ${row.heapGrowth.toFixed(2)}`,
    ...checkers.map((checker) => String(row.violations[checker])),
  ]);
  const table = [['fault', ...counts, ...checkers], ...lines];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  const format = (line: readonly string[]) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return table.map(format).join('\n');
}

/** Keeps a scenario's rows for the table of all; does nothing where there will be none. */
export async function saveFaultRows(scenario: string, rows: readonly FaultRow[]): Promise<void> {
  const folder = process.env[tableFolderVariable] ?? '';
  if (folder === '') return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${scenario.replaceAll(/\W+/g, '-')}.json`), JSON.stringify(rows));
}

/** The rows of all scenarios that kept theirs, in the order of the scenarios' names. */
export async function loadFaultRows(folder: string): Promise<FaultRow[]> {
  const names = (await readdir(folder).catch(() => [])).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => JSON.parse(text) as FaultRow[]);
}
