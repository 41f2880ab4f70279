import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { HookRefusal } from '@widget-service/shared/ports/refusal-store.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RefusalRecorder } from './refusal-recorder.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A recorder over a store that keeps what it gets, or fails while `isDown` is set. */
function openRecorder() {
  const state = { isDown: false, calls: 0, stored: [] as HookRefusal[], lines: [] as unknown[][] };
  const recorder = new RefusalRecorder({
    refusals: {
      add: async (refusals) => {
        state.calls += 1;
        if (state.isDown) throw new UnavailableError('the store is down');
        state.stored.push(...refusals);
      },
    },
    logger: {
      warn: (...line: unknown[]) => void state.lines.push(['warn', ...line]),
      info: (...line: unknown[]) => void state.lines.push(['info', ...line]),
    } as never,
  });
  let requests = 0;
  const record = (integrationId: string, code = 'invalid-request', mayList = () => true) => {
    requests += 1;
    const requestId = `r${requests}`;
    recorder.record(
      integrationId,
      code,
      () => ({
        integrationId,
        requestId,
        refusedAt: new Date(),
        code,
        status: 400,
        detail: 'no',
        errors: [],
        clientAddress: null,
        webhookId: null,
      }),
      mayList,
    );
  };
  const summarize = () => state.stored.map(({ requestId, unlisted }) => [requestId, unlisted]);
  return { recorder, state, record, summarize };
}

describe('RefusalRecorder', () => {
  test('counts refusals that may not be listed with the next one of the integration and code', async () => {
    const { record, summarize } = openRecorder();
    for (let times = 0; times < 3; times += 1) record('A', 'invalid-hook-signature', () => false);
    record('A');
    await vi.advanceTimersByTimeAsync(1_000);
    record('A', 'invalid-hook-signature');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize()).toEqual([
      ['r4', 0],
      ['r5', 3],
    ]);
  });

  test('stores the first refusal of a second per integration and code, with the number of the others', async () => {
    const { record, state, summarize } = openRecorder();
    for (let times = 0; times < 3; times += 1) record('A');
    record('A', 'rate-limited');
    record('B');
    expect(state.calls).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.calls).toBe(1);
    expect(summarize()).toEqual([
      ['r1', 2],
      ['r4', 0],
      ['r5', 0],
    ]);
  });

  test('stores the next refusal of an integration in the next second, and writes nothing while there is none', async () => {
    const { record, state, summarize } = openRecorder();
    record('A');
    await vi.advanceTimersByTimeAsync(5_000);
    record('A');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state.calls).toBe(2);
    expect(summarize()).toEqual([
      ['r1', 0],
      ['r2', 0],
    ]);
  });

  test('keeps refusals while the store is unavailable, warns once, and stores them when it is back', async () => {
    const { record, state, summarize } = openRecorder();
    state.isDown = true;
    record('A');
    await vi.advanceTimersByTimeAsync(3_000);
    record('A');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(state.lines).toEqual([['warn', { err: expect.any(UnavailableError), waiting: 1 }, 'refusals.not_stored']]);
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize()).toEqual([
      ['r1', 0],
      ['r2', 0],
    ]);
    expect(state.lines.at(-1)).toEqual(['info', { dropped: 0 }, 'refusals.stored']);
  });

  test('drops the oldest above 1 000 waiting refusals, and says how many', async () => {
    const { record, state, summarize } = openRecorder();
    state.isDown = true;
    for (let index = 0; index < 900; index += 1) record(`A${index}`);
    await vi.advanceTimersByTimeAsync(1_000);
    for (let index = 0; index < 300; index += 1) record(`B${index}`);
    await vi.advanceTimersByTimeAsync(1_000);
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize()).toHaveLength(1_000);
    expect(summarize()[0]).toEqual(['r201', 0]);
    expect(state.lines.at(-1)).toEqual(['info', { dropped: 200 }, 'refusals.stored']);
  });

  test('holds at most 1 000 refusals of one second', async () => {
    const { record, state } = openRecorder();
    for (let index = 0; index < 1_500; index += 1) record(`A${index}`);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.stored).toHaveLength(1_000);
    expect(state.lines).toEqual([['info', { dropped: 500 }, 'refusals.stored']]);
  });

  test('writes what waits when it closes, and does not reject if the store is down', async () => {
    const { recorder, record, summarize } = openRecorder();
    record('A');
    await recorder.close();
    expect(summarize()).toEqual([['r1', 0]]);
    const other = openRecorder();
    other.state.isDown = true;
    other.record('A');
    await other.recorder.close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(other.state.calls).toBe(1);
  });
});
