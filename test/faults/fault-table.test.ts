import { expect, test } from 'vitest';
import { allCheckers } from '../checkers/all-checkers.ts';
import { type FaultRow, formatFaultTable } from './fault-table.ts';

const row: FaultRow = {
  fault: 'kill -9 of Redis',
  operations: { ok: 1_200, refused: 34, unknown: 5 },
  ...{ streams: 60, reconnections: 7, events: 890, eventsReceived: 53_400, idleAfterMs: 2_345, heapGrowth: 1.04 },
  violations: { ...withoutViolations(), C10: 3 },
};

function withoutViolations(): FaultRow['violations'] {
  return Object.fromEntries(Object.keys(allCheckers).map((name) => [name, 0])) as FaultRow['violations'];
}

test('the fault table has one line per fault: counts first, then the violations of each checker', () => {
  const [head = '', line = ''] = formatFaultTable([row]).split('\n');
  expect(head.split(/ {2,}/)).toEqual([
    ...['fault', 'accepted', 'refused', 'unknown', 'streams', 'reconnections', 'events', 'events received'],
    ...['idle after', 'heap'],
    ...Object.keys(allCheckers),
  ]);
  expect(line.split(/ {2,}/)).toEqual([
    ...['kill -9 of Redis', '1200', '34', '5', '60', '7', '890', '53400', '2.3 s', '× 1.04'],
    ...['0', '0', '0', '0', '0', '0', '0', '0', '0', '3'],
  ]);
  expect(head.length).toBe(line.length);
});
