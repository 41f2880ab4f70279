import { beforeEach, describe, expect, test } from 'vitest';
import { anEntry, aWidget } from '../../drivers/app/builders.ts';
import { Database, type WidgetDocument } from '../stores/database.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';
import { RunWatch } from './run-watch.ts';

const tenMinutesMs = 600_000;
const position = { epoch: 'e', epochRun: 1, ms: 5, seq: 7 };

describe('RunWatch', () => {
  const widget = aWidget({ id: 'w', version: 3 });
  let database: Database;
  let document: WidgetDocument;
  let stepViolations: string[];
  let watch: RunWatch;
  let nowMs: number;
  /** What a run's claim returns. */
  let claimed: WidgetDocument[];

  beforeEach(() => {
    database = new Database();
    document = { widget, fence: 4, idempotency: null, outbox: [] };
    database.widgets.set('w', document);
    stepViolations = [];
    watch = new RunWatch(database, (violation) => stepViolations.push(violation));
    nowMs = 0;
    claimed = [document];
  });

  /** The wrapped ports of a process. */
  function watched(): SimulatedPorts {
    const ports = {
      runs: { startRun: async () => ({ run: 4, lastPosition: null }) },
      effects: { claim: async () => ({ claimed, superseded: [] }) },
      eventLog: { append: async () => ({ positions: [], last: position, startedNewEpoch: false }) },
    } as unknown as SimulatedPorts;
    return watch.wrap(ports, { monotonicMs: () => nowMs });
  }

  test('accepts a run that has claimed the widget', async () => {
    const { runs, effects, eventLog } = watched();
    await runs.startRun();
    await effects.claim(4, ['w']);
    watch.checkEffect(4, document);
    watch.checkRemoval(4, document);
    watch.checkExpiry([{ kind: 'version', widgetId: 'w', version: 3 }]);
    nowMs = tenMinutesMs;
    await eventLog.append(4, null, []);
    expect(stepViolations).toEqual([]);
  });

  test('reports a run that writes a widget that another run has claimed', () => {
    watch.checkEffect(3, document);
    watch.checkRemoval(5, document);
    expect(stepViolations).toEqual([
      'run 3 changes w, which run 4 has claimed',
      'run 5 empties the outbox of w, which run 4 has claimed',
    ]);
  });

  test('reports a claim that read a widget before an earlier run changed it', async () => {
    const { effects } = watched();
    claimed = [{ ...document, widget: { ...widget, version: 2 } }];
    watch.checkEffect(3, { ...document, fence: 3 });
    await effects.claim(4, ['w']);
    expect(stepViolations).toEqual(['run 3 changes w after run 4 has read it']);
  });

  test('accepts a claim after the writes of earlier runs, and after its own write', async () => {
    const { effects } = watched();
    watch.checkEffect(3, { ...document, fence: 3 });
    await effects.claim(4, ['w']);
    watch.checkEffect(4, { ...document, widget: { ...widget, version: 4 } });
    await effects.claim(4, ['w']);
    expect(stepViolations).toEqual([]);
  });

  test('reports a watermark that will expire while the outbox holds its versions', () => {
    document.outbox = [anEntry(widget, 3), anEntry(widget, 4)];
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

  test.each([
    ['none', null],
    ['a lower number', { ...position, seq: 6 }],
    ['an earlier epoch', { ...position, epochRun: 0, seq: 9 }],
  ])(
    'reports an append that is checked against a lower position than was recorded at the claim: %s',
    async (_, checked) => {
      const { effects, eventLog } = watched();
      database.runRegistry.lastPosition = position;
      await effects.claim(4, ['w']);
      await eventLog.append(4, position, []);
      expect(stepViolations).toEqual([]);
      await eventLog.append(4, checked, []);
      expect(stepViolations).toHaveLength(1);
    },
  );
});
