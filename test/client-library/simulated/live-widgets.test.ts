import { LiveWidgets } from '@widget-service/client/live/live-widgets.ts';
import type { Transport } from '@widget-service/client/stream/transport.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { watchVersions } from '../../drivers/streams/watch-versions.ts';
import { SimulatedWidgetService } from './simulated-widget-service.ts';

type Step =
  | { readonly do: 'create' }
  | { readonly do: 'create late'; readonly ticksAgo: number }
  | { readonly do: 'hook'; readonly choice: number; readonly kind: 'updated' | 'retired' }
  | { readonly do: 'wipe log' }
  | { readonly do: 'trim log'; readonly keep: number }
  | { readonly do: 'respond'; readonly choice: number; readonly outcome: 'succeed' | 'fail' }
  | { readonly do: 'pause' | 'resume' }
  | { readonly do: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
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
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wipe log' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('trim log' as const), keep: fc.nat(3) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('respond' as const),
      choice: fc.nat(5),
      outcome: fc.oneof(
        { weight: 8, arbitrary: fc.constant('succeed' as const) },
        { weight: 1, arbitrary: fc.constant('fail' as const) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(60_000, 301_000) }) },
);

const scenario = fc.record({
  widgetsAtStart: fc.nat(12),
  createsPerTick: fc.integer({ min: 1, max: 6 }),
  readsRowsAtOnce: fc.boolean(),
  pageSize: fc.integer({ min: 1, max: 4 }),
  filter: fc.constantFrom({}, { state: 'active' as const }, { state: 'retired' as const }),
  steps: fc.array(step, { maxLength: 80 }),
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('LiveWidgets', () => {
  test('equals the list of the service after any interleaving of pages, events, gaps, breaks and pauses', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ widgetsAtStart, pageSize, filter, steps, ...options }) => {
        const service = new SimulatedWidgetService(options);
        for (let created = 0; created < widgetsAtStart; created += 1) service.create();
        const live = new LiveWidgets(
          {
            readPage: service.readPage,
            streamUrl: 'http://127.0.0.1/stream',
            streamOptions: { transport: service.transport },
          },
          { filter, pageSize },
        );
        const mistakes = watchVersions(live);
        for (const one of steps) await take(one, service, live);
        live.resume();
        await settle(service, live);
        live.close();
        const listed = service.list().filter(({ state }) => filter.state === undefined || state === filter.state);
        expect(live.getSnapshot().map(withoutEmail)).toEqual(listed.map(withoutEmail));
        expect(mistakes).toEqual([]);
      }),
      { numRuns: Number(process.env.LIVE_RUNS ?? 300) },
    );
  });

  test.each([
    { minutes: 4, loads: 1, how: 'where it stopped' },
    { minutes: 6, loads: 2, how: 'by a new load' },
  ])('has no stream during a pause of $minutes minutes, and goes on $how', async ({ minutes, loads }) => {
    const service = new SimulatedWidgetService({ createsPerTick: 1, readsRowsAtOnce: true });
    service.create();
    const readPage = vi.fn(service.readPage);
    let isConnected = false;
    const transport: Transport = {
      open: async (url, signal) => {
        signal.addEventListener('abort', () => (isConnected = false), { once: true });
        const outcome = await service.transport.open(url, signal);
        isConnected = outcome.status === 'open';
        return outcome;
      },
    };
    const live = new LiveWidgets({ readPage, streamUrl: 'http://127.0.0.1/stream', streamOptions: { transport } });
    await settle(service, live);
    expect(isConnected).toBe(true);
    live.pause();
    await vi.advanceTimersByTimeAsync(minutes * 60_000);
    service.create();
    expect([isConnected, live.state, live.getSnapshot().length]).toEqual([false, 'stale', 1]);
    live.resume();
    await settle(service, live);
    expect([isConnected, live.getSnapshot().length]).toEqual([true, 2]);
    expect(readPage).toHaveBeenCalledTimes(loads);
    live.close();
  });
});

async function take(step: Step, service: SimulatedWidgetService, live: LiveWidgets): Promise<void> {
  if (step.do === 'create') service.create();
  else if (step.do === 'create late') service.createLate(step.ticksAgo);
  else if (step.do === 'hook') service.postHook(step.choice, step.kind);
  else if (step.do === 'wipe log') service.wipeLog();
  else if (step.do === 'trim log') service.trimLog(step.keep);
  else if (step.do === 'respond') service.respond(step.choice, step.outcome);
  else if (step.do === 'pause') live.pause();
  else if (step.do === 'resume') live.resume();
  await vi.advanceTimersByTimeAsync(step.do === 'wait' ? step.ms : 0);
}

/** Lets everything succeed until nothing is left to be said. */
async function settle(service: SimulatedWidgetService, live: LiveWidgets): Promise<void> {
  for (let round = 0; round < 500; round += 1) {
    const isQuiet = !service.respond(0, 'succeed');
    if (isQuiet && live.state === 'live') return;
    // The longest wait is 30 s. A silent stream is only noticed later.
    await vi.advanceTimersByTimeAsync(isQuiet ? 31_000 : 0);
  }
  throw new Error(`the collection is ${live.state} and does not settle`);
}

function withoutEmail({ owner, ...widget }: ReturnType<LiveWidgets['getSnapshot']>[number]) {
  return { ...widget, owner: owner === null ? null : { userId: owner.userId, notify: owner.notify } };
}
