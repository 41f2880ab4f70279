import { expect, test } from 'vitest';
import { allCheckers } from '../checkers/all-checkers.ts';
import { type FaultRow, formatFaultTable } from './fault-table.ts';

const row: FaultRow = {
  fault: 'kill -9 of Redis',
  operations: { ok: 1_200, refused: 34, unknown: 5 },
  ...{ streams: 60, reconnections: 7, events: 890, deliveries: 53_400, restedAfterMs: 2_345, heapGrowth: 1.04 },
  violations: { ...mapToZero(), C10: 3 },
};

function mapToZero(): FaultRow['violations'] {
  return Object.fromEntries(Object.keys(allCheckers).map((name) => [name, 0])) as FaultRow['violations'];
}

test('one line per fault, counts first, then what each checker found, in columns', () => {
  const [head = '', line = ''] = formatFaultTable([row]).split('\n');
  expect(head.split(/ {2,}/)).toEqual([
    ...['fault', 'ok', 'refused', 'unknown', 'streams', 'reconnects', 'events', 'deliveries', 'at rest', 'heap'],
    ...Object.keys(allCheckers),
  ]);
  expect(line.split(/ {2,}/)).toEqual([
    ...['kill -9 of Redis', '1200', '34', '5', '60', '7', '890', '53400', '2.3 s', '× 1.04'],
    ...['0', '0', '0', '0', '0', '0', '0', '0', '0', '3'],
  ]);
  expect(head.length).toBe(line.length);
});
