import { beforeEach, describe, expect, it } from 'vitest';
import { anEntry, aWidget } from '../../drivers/builders.ts';
import { Database, type WidgetDocument } from '../stores/database.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';
import { RunWatch } from './run-watch.ts';

const tenMinutesMs = 600_000;
const position = { epoch: 'e', epochRun: 1, ms: 5, seq: 7 };

describe('RunWatch', () => {
  const widget = aWidget({ id: 'w', version: 3 });
  let database: Database;
  let document: WidgetDocument;
  let missteps: string[];
  let watch: RunWatch;
  let nowMs: number;
  /** What a run reads of the widget. */
  let claimed: WidgetDocument[];

  beforeEach(() => {
    database = new Database();
    document = { widget, fence: 4, idempotency: null, outbox: [] };
    database.widgets.set('w', document);
    missteps = [];
    watch = new RunWatch(database, (misstep) => missteps.push(misstep));
    nowMs = 0;
    claimed = [document];
  });

  /** A process with answers of its own. */
  function watched(): SimulatedPorts {
    const ports = {
      runs: { startRun: async () => ({ run: 4, lastPosition: null }) },
      effects: { claim: async () => ({ claimed, superseded: [] }) },
      eventLog: { append: async () => ({ positions: [], last: position, startedNewEpoch: false }) },
    } as unknown as SimulatedPorts;
    return watch.over(ports, { monotonicMs: () => nowMs });
  }

  it('has nothing against the run that has claimed a widget', async () => {
    const { runs, effects, eventLog } = watched();
    await runs.startRun();
    await effects.claim(4, ['w']);
    watch.noteEffect(4, document);
    watch.notePull(4, document);
    watch.noteSettled([{ kind: 'version', widgetId: 'w', version: 3 }]);
    nowMs = tenMinutesMs;
    await eventLog.append(4, null, []);
    expect(missteps).toEqual([]);
  });

  it('sees who writes to a widget that another run has claimed', () => {
    watch.noteEffect(3, document);
    watch.notePull(5, document);
    expect(missteps).toEqual([
      'run 3 changes w, which run 4 has claimed',
      'run 5 empties the outbox of w, which run 4 has claimed',
    ]);
  });

  it('sees a run that has read a widget before an earlier run changed it', async () => {
    const { effects } = watched();
    claimed = [{ ...document, widget: { ...widget, version: 2 } }];
    watch.noteEffect(3, { ...document, fence: 3 });
    await effects.claim(4, ['w']);
    expect(missteps).toEqual(['run 3 changes w after run 4 has read it']);
  });

  it('lets a run read what earlier runs have made, and change it after it was read by itself', async () => {
    const { effects } = watched();
    watch.noteEffect(3, { ...document, fence: 3 });
    await effects.claim(4, ['w']);
    watch.noteEffect(4, { ...document, widget: { ...widget, version: 4 } });
    await effects.claim(4, ['w']);
    expect(missteps).toEqual([]);
  });

  it('sees a guard that is to expire while the outbox holds what it guards', () => {
    document.outbox = [anEntry(widget, 3), anEntry(widget, 4)];
    watch.noteSettled([
      { kind: 'version', widgetId: 'w', version: 2 },
      { kind: 'event', eventId: 'loose' },
    ]);
    expect(missteps).toEqual([]);
    watch.noteSettled([{ kind: 'version', widgetId: 'w', version: 3 }]);
    expect(missteps).toEqual(['the guard of w is to expire, and its outbox still holds version 3']);
  });

  it('sees a run that appends when it is too old', async () => {
    const { runs, eventLog } = watched();
    await runs.startRun();
    nowMs = tenMinutesMs + 1;
    await eventLog.append(4, null, []);
    expect(missteps).toEqual(['run 4 appends when it is 600001 ms old']);
  });

  it.each([
    ['none', null],
    ['a lower number', { ...position, seq: 6 }],
    ['an earlier epoch', { ...position, epochRun: 0, seq: 9 }],
  ])('sees a run that has the log checked against less than was recorded when it read: %s', async (_, checked) => {
    const { effects, eventLog } = watched();
    database.register.lastPosition = position;
    await effects.claim(4, ['w']);
    await eventLog.append(4, position, []);
    expect(missteps).toEqual([]);
    await eventLog.append(4, checked, []);
    expect(missteps).toHaveLength(1);
  });
});
