import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { anEntry, aWidget } from '../../drivers/app/builders.ts';
import { Database, type WidgetDocument } from '../stores/database.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';
import { RunWatch } from './run-watch.ts';

const tenMinutesMs = 600_000;
const position = { epoch: 'e', epochRun: 1, ms: 5, seq: 7 };

describe('RunWatch', () => {
  const widget = aWidget({ id: 'w', version: 3 });
  let document: WidgetDocument;
  let stepViolations: string[];
  let watch: RunWatch;
  let nowMs: number;
  /** The end of the log after an append. */
  let last: ComparablePosition;

  beforeEach(() => {
    const database = new Database();
    document = { widget, idempotency: null, outbox: [] };
    database.widgets.set('w', document);
    stepViolations = [];
    watch = new RunWatch(database, (violation) => stepViolations.push(violation));
    nowMs = 0;
    last = position;
  });

  /** The wrapped ports of a process. */
  function watched(): SimulatedPorts {
    const ports = {
      runs: { startRun: async () => ({ run: 4, lastPosition: null }), recordPosition: async () => true },
      eventLog: { append: async () => ({ positions: [], last, startedNewEpoch: false }) },
    } as unknown as SimulatedPorts;
    return watch.wrap(ports, { monotonicMs: () => nowMs });
  }

  const entries = (...versions: number[]) => versions.map((version) => anEntry(widget, version));

  test('accepts a run that keeps the rules', async () => {
    const { runs, eventLog } = watched();
    await runs.startRun();
    watch.checkEffect(document, entries(1, 2, 3));
    watch.checkEffect({ ...document, widget: { ...widget, version: 5 } }, entries(4, 5));
    watch.checkExpiry([{ kind: 'version', widgetId: 'w', version: 3 }]);
    nowMs = tenMinutesMs;
    await eventLog.append(4, null, []);
    expect(stepViolations).toEqual([]);
  });

  test('reports an effect that was computed from an earlier version', () => {
    watch.checkEffect(document, entries(1, 2, 3));
    watch.checkEffect(document, entries(3));
    expect(stepViolations).toEqual(['w changes from version 3 to 3']);
  });

  test('reports a watermark that will expire while the outbox holds its versions', () => {
    document.outbox = entries(3, 4);
    watch.checkExpiry([
      { kind: 'version', widgetId: 'w', version: 2 },
      { kind: 'event', eventId: 'loose' },
    ]);
    expect(stepViolations).toEqual([]);
    watch.checkExpiry([{ kind: 'version', widgetId: 'w', version: 3 }]);
    expect(stepViolations).toEqual(['the watermark of w will expire, but its outbox still holds version 3']);
  });

  test('reports a run that appends although it is too old', async () => {
    const { runs, eventLog } = watched();
    await runs.startRun();
    nowMs = tenMinutesMs + 1;
    await eventLog.append(4, null, []);
    expect(stepViolations).toEqual(['run 4 appends when it is 600001 ms old']);
  });

  test('reports a number that has started two epochs', async () => {
    const { eventLog } = watched();
    await eventLog.append(4, null, []);
    expect(stepViolations).toEqual([]);
    last = { ...position, epoch: 'f' };
    await eventLog.append(4, null, []);
    expect(stepViolations).toEqual(['run 1 has started two epochs: e and f']);
  });

  test.each([
    ['none', null],
    ['a lower number', { ...position, seq: 6 }],
    ['an earlier epoch', { ...position, epochRun: 0, seq: 9 }],
  ])('reports an append that is checked against a lower position than its process recorded: %s', async (_, checked) => {
    const { runs, eventLog } = watched();
    await runs.recordPosition(position, null);
    await eventLog.append(4, position, []);
    expect(stepViolations).toEqual([]);
    await eventLog.append(4, checked, []);
    expect(stepViolations).toHaveLength(1);
  });
});
