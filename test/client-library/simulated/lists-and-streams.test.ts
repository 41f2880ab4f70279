import { readWidgets } from '@widget-service/client/requests/list-pages.ts';
import { readStream } from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent } from '@widget-service/client/stream/stream-event.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SimulatedWidgetService } from './simulated-widget-service.ts';

type Step =
  | { readonly do: 'create' }
  | { readonly do: 'wipe log' }
  | { readonly do: 'create late'; readonly ticksAgo: number }
  | { readonly do: 'hook'; readonly choice: number; readonly kind: 'updated' | 'retired' }
  | { readonly do: 'trim log'; readonly keep: number }
  | { readonly do: 'respond'; readonly choice: number; readonly outcome: 'succeed' | 'fail' };

const change: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create late' as const), ticksAgo: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('hook' as const),
      choice: fc.nat(50),
      kind: fc.constantFrom('updated' as const, 'retired' as const),
    }),
  },
);
const loss: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('wipe log' as const) }),
  fc.record({ do: fc.constant('trim log' as const), keep: fc.nat(3) }),
);
const respond = (outcomes: readonly ('succeed' | 'fail')[]): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant('respond' as const), choice: fc.nat(5), outcome: fc.constantFrom(...outcomes) });

const service = fc
  .record({ createsPerTick: fc.integer({ min: 1, max: 6 }), readsRowsAtOnce: fc.boolean() })
  .map((options) => () => new SimulatedWidgetService(options));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function take(step: Step, simulated: SimulatedWidgetService): void {
  if (step.do === 'create') simulated.create();
  else if (step.do === 'create late') simulated.createLate(step.ticksAgo);
  else if (step.do === 'hook') simulated.postHook(step.choice, step.kind);
  else if (step.do === 'wipe log') simulated.wipeLog();
  else if (step.do === 'trim log') simulated.trimLog(step.keep);
  else simulated.respond(step.choice, step.outcome);
}

test('a walk through the list misses no widget that is in it all the time, whatever changes meanwhile', async () => {
  const scenario = fc.record({
    open: service,
    widgetsAtStart: fc.nat(12),
    pageSize: fc.integer({ min: 1, max: 4 }),
    state: fc.constantFrom(undefined, 'active' as const, 'retired' as const),
    steps: fc.array(fc.oneof(change, respond(['succeed'])), { maxLength: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ open, widgetsAtStart, pageSize, state, steps }) => {
      const simulated = open();
      for (let created = 0; created < widgetsAtStart; created += 1) {
        simulated.create();
        if (created % 3 === 0) simulated.postHook(created, 'retired');
      }
      const listed = () => simulated.list().filter((widget) => state === undefined || widget.state === state);
      const atStart = listed();
      const found = new Set<string>();
      const walk = async () => {
        const filter = { pageSize, ...(state === undefined ? {} : { state }) };
        for await (const { id } of readWidgets(simulated.readPage, filter)) found.add(id);
      };
      let isOver = false;
      const walking = walk().then(() => (isOver = true));
      for (const step of steps) {
        take(step, simulated);
        await vi.advanceTimersByTimeAsync(0);
      }
      while (!isOver) {
        simulated.respond(0, 'succeed');
        await vi.advanceTimersByTimeAsync(0);
      }
      await walking;
      const atEnd = new Set(listed().map(({ id }) => id));
      expect(atStart.filter(({ id }) => atEnd.has(id) && !found.has(id))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('a stream delivers each event once and in order, or says that some are missing, whatever breaks', async () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 10, arbitrary: change },
      { weight: 2, arbitrary: loss },
      { weight: 8, arbitrary: respond(['succeed']) },
      { weight: 2, arbitrary: respond(['fail']) },
    ),
    { maxLength: 80 },
  );
  await fc.assert(
    fc.asyncProperty(service, steps, async (open, taken) => {
      const simulated = open();
      const left = new AbortController();
      // Since the last gap.
      let read: string[] = [simulated.position];
      const follow = async () => {
        // Without remembered ids, only the position keeps an event from coming twice.
        const { transport, position } = simulated;
        const options = { transport, position, signal: left.signal, rememberedIds: 0 };
        for await (const event of readStream('http://127.0.0.1/stream', options)) {
          if (event.type === 'stream.gap') read = [event.position];
          else if (isWidgetEvent(event)) read.push(event.position);
        }
      };
      const following = follow().catch((error: unknown) => error);
      for (const step of taken) {
        take(step, simulated);
        await vi.advanceTimersByTimeAsync(0);
      }
      for (let quiet = 0; quiet < 3; ) {
        quiet = simulated.respond(0, 'succeed') ? 0 : quiet + 1;
        // The longest wait is 30 s.
        await vi.advanceTimersByTimeAsync(quiet > 0 ? 31_000 : 0);
      }
      const numbers = read.map((position) => Number(position.split('.')[1]));
      expect(numbers).toEqual(numbers.map((_, index) => Number(numbers[0]) + index));
      expect(read.at(-1)).toBe(simulated.position);
      left.abort();
      await following;
    }),
    { numRuns: 300 },
  );
});
