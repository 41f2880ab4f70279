import { beforeEach, expect, test } from 'vitest';
import { anEntry, aWidget } from '../../drivers/app/builders.ts';
import { Database } from '../stores/database.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';
import { RunWatch } from './run-watch.ts';

// `npm run mutations -- --by simulation` provokes the other reports, and those of `StreamWatch`.
let stepViolations: string[];
let watch: RunWatch;
beforeEach(() => {
  stepViolations = [];
  watch = new RunWatch(new Database(), (violation) => stepViolations.push(violation));
});

test('reports an effect that was computed from an earlier version', () => {
  const widget = aWidget({ id: 'w', version: 3 });
  const entries = (...versions: number[]) => versions.map((version) => anEntry(widget, version));
  const document = { widget, idempotency: null, outbox: [] };
  watch.checkEffect(document, entries(1, 2, 3));
  watch.checkEffect(document, entries(3));
  expect(stepViolations).toEqual(['w changes from version 3 to 3']);
});

test('reports a number that has started two epochs', async () => {
  const last = { epoch: 'e', epochRun: 1, ms: 5, seq: 7 };
  const append = async () => ({ positions: [], last, startedNewEpoch: false });
  const { eventLog } = watch.wrap({ eventLog: { append } } as unknown as SimulatedPorts, { monotonicMs: () => 0 });
  await eventLog.append(4, null, []);
  expect(stepViolations).toEqual([]);
  last.epoch = 'f';
  await eventLog.append(4, null, []);
  expect(stepViolations).toEqual(['run 1 has started two epochs: e and f']);
});
