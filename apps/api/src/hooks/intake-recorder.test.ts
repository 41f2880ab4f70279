import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type HookRefusal, type HookSample, sampleLimits } from '@widget-service/shared/entities/refused-request.ts';
import type { HookCounts } from '@widget-service/shared/ports/hook-count-store.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { IntakeRecorder } from './intake-recorder.ts';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T10:59:45.000Z') }));
afterEach(() => void vi.useRealTimers());

const mapping = {
  ...{ only: [], kind: { value: 'updated' }, occurredAt: { now: true } },
  ...{ widgetId: null, id: null, payload: null },
};
const hour = (hours: number) => new Date(Date.UTC(2026, 2, 1, hours));

/** A recorder over stores that keep all but `never`, fail while `isDown` is set, and wait while `hangs` is. */
function openRecorder() {
  const keptUntil = new Date(Date.now() + 3_600_000) as Date | null;
  const state = { isDown: false, hangs: false, calls: 0, lines: [] as unknown[][], keptUntil };
  const stored = { refusals: [] as HookRefusal[], samples: [] as HookSample[], counts: [] as HookCounts[][] };
  const answer = async (): Promise<void> => {
    state.calls += 1;
    if (state.hangs) await new Promise(() => undefined);
    if (state.isDown) throw new UnavailableError('the store is down');
  };
  const keepIn = <T extends HookRefusal | HookSample>(list: T[]) => ({
    insert: (record: T) => {
      if (record.integrationId === 'never') throw new TypeError('it cannot be stored');
      return answer().then(() => list.push(record) > 0);
    },
    list: vi.fn(async () => []),
    removeAll: async () => undefined,
  });
  const [refusals, samples] = [keepIn(stored.refusals), keepIn(stored.samples)];
  const integrations = {
    count: vi.fn(async () => 1),
    get: async () => ({ samplesKeptUntil: state.keptUntil }) as never,
  };
  const log = (...line: unknown[]) => void state.lines.push(line);
  const recorder = new IntakeRecorder({
    ...{ integrations, refusals, samples },
    hookCounts: { add: (counts) => answer().then(() => void stored.counts.push([...counts])) },
    clock: systemClock,
    logger: { warn: log.bind(null, 'warn'), info: log.bind(null, 'info') },
    settings: { TRUSTED_PROXIES: null },
  });
  let requests = 0;
  const refuse = (integrationId: string, code = 'invalid-request', ip = `2001:db8:0:${requests.toString(16)}::1`) => {
    requests += 1;
    const request = { id: `r${requests}`, integration: { id: integrationId }, headers: {}, ip };
    recorder.recordRefused(request as never, { code, status: 400, detail: 'no' } as never, null);
  };
  /** Refuses a request of a foreign sender whose samples are kept. */
  const refuseForeign = (body: Uint8Array, { id = 'A', step = 'body', code = 'invalid-json', isKept = true } = {}) => {
    const samplesKeptUntil = isKept ? new Date(Date.now() + 3_600_000) : null;
    const integration = { id, source: { preset: 'github', scheme: null, mapping }, samplesKeptUntil };
    const request = { id: 'r', integration, headers: {}, ip: '198.51.100.7', raw: { rawHeaders: [] } };
    const read = step === 'signature' ? { signature: { isValid: false, reason: 'no' } } : { mistake: new Error('no') };
    recorder.recordRefused(request as never, { code, status: 400, detail: 'no' } as never, { body, read } as never);
  };
  const summarize = () => stored.refusals.map(({ requestId, unlisted }) => [requestId, unlisted]);
  const linesOf = (name: string) => state.lines.filter((line) => String(line[2]).startsWith(name));
  return { recorder, state, stored, integrations, refusals, samples, refuse, refuseForeign, summarize, linesOf };
}

describe('refusals', () => {
  test('counts those above the share of a network with the next one of the integration and code', async () => {
    const { refuse, summarize } = openRecorder();
    for (let times = 0; times < 20; times += 1) {
      refuse('A', `code-${times}`, '192.0.2.1');
    }
    for (let times = 0; times < 3; times += 1) refuse('A', 'invalid-hook-signature', '192.0.2.1');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize()).toHaveLength(20);
    refuse('A', 'invalid-hook-signature', '192.0.2.2');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize().at(-1)).toEqual(['r24', 3]);
  });

  test('stores the first of a second per integration and code, with the number of the others', async () => {
    const { refuse, state, summarize, integrations, refusals } = openRecorder();
    for (let times = 0; times < 3; times += 1) refuse('A');
    refuse('A', 'rate-limited');
    refuse('B');
    expect(state.calls).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(integrations.count.mock.calls.flat()).toEqual([{ id: 'A' }, 1, { id: 'B' }, 1]);
    expect(refusals.list).toHaveBeenCalledWith({ integrationId: 'A' }, { offset: 100, limit: 1 });
    refuse('A');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(summarize()).toEqual([
      ['r1', 2],
      ['r4', 0],
      ['r5', 0],
      ['r6', 0],
    ]);
    expect(state.calls).toBe(4);
  });

  test('keeps them while the store is unavailable, warns once, and stores them when it is back', async () => {
    const { refuse, state, summarize, linesOf } = openRecorder();
    state.isDown = true;
    refuse('A');
    await vi.advanceTimersByTimeAsync(3_000);
    refuse('A');
    await vi.advanceTimersByTimeAsync(3_000);
    const warning = ['warn', { err: expect.any(UnavailableError), waiting: 1 }, 'refusals.not_stored'];
    expect(linesOf('refusals')).toEqual([warning]);
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize()).toEqual([
      ['r1', 0],
      ['r2', 0],
    ]);
    expect(linesOf('refusals').at(-1)).toEqual(['info', { dropped: 0 }, 'refusals.stored']);
  });

  test('drops the oldest above 1 000 that wait, and says how many', async () => {
    const { refuse, state, summarize, linesOf } = openRecorder();
    state.isDown = true;
    for (let index = 0; index < 900; index += 1) refuse(`A${index}`);
    await vi.advanceTimersByTimeAsync(1_000);
    for (let index = 0; index < 300; index += 1) refuse(`B${index}`);
    await vi.advanceTimersByTimeAsync(1_000);
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize()).toHaveLength(1_000);
    expect(summarize()[0]).toEqual(['r201', 0]);
    expect(linesOf('refusals').at(-1)).toEqual(['info', { dropped: 200 }, 'refusals.stored']);
  });

  test('holds at most 1 000 of one second, and drops one that cannot be stored', async () => {
    const { refuse, summarize, linesOf } = openRecorder();
    for (let index = 0; index < 1_500; index += 1) refuse(index === 0 ? 'never' : `A${index}`);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summarize()).toHaveLength(999);
    expect(linesOf('refusals')).toEqual([['info', { dropped: 501, err: expect.any(TypeError) }, 'refusals.stored']]);
  });
});

describe('samples', () => {
  const text = (length: number) => Buffer.alloc(length, 'a');

  test('keeps the first of a second per integration and code, if somebody asked for it', async () => {
    const { refuseForeign, stored } = openRecorder();
    refuseForeign(text(1), { isKept: false });
    for (const code of ['invalid-json', 'invalid-json', 'hook-not-mappable']) refuseForeign(text(2), { code });
    refuseForeign(text(3), { id: 'B' });
    await vi.advanceTimersByTimeAsync(1_000);
    refuseForeign(text(4));
    await vi.advanceTimersByTimeAsync(1_000);
    const kept = stored.samples.map(({ integrationId, code, body }) => `${integrationId} ${code} ${body.length}`);
    expect(kept).toEqual(['A invalid-json 2', 'A hook-not-mappable 2', 'B invalid-json 3', 'A invalid-json 4']);
  });

  test('keeps them until the end that the integration has when they are stored', async () => {
    const { refuseForeign, state, stored, integrations, samples } = openRecorder();
    refuseForeign(text(1));
    state.keptUntil = new Date(Date.now() + 60_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(integrations.count).toHaveBeenCalledWith({ id: 'A', samplesKeptUntil: { above: new Date() } }, 1);
    expect(samples.list).toHaveBeenCalledWith({ integrationId: 'A' }, { offset: 10, limit: 1 });
    const { expiresAt } = stored.samples[0] ?? {};
    expect(expiresAt).toEqual(state.keptUntil);
    state.keptUntil = null;
    refuseForeign(text(2));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stored.samples).toHaveLength(1);
  });

  test('takes bodies up to the limit, of UTF-8 only', async () => {
    const { refuseForeign, stored } = openRecorder();
    refuseForeign(text(sampleLimits.bodyBytesMax + 1), { id: 'A' });
    refuseForeign(Buffer.from([0x7b, 0xff]), { id: 'B' });
    refuseForeign(text(sampleLimits.bodyBytesMax), { id: 'C' });
    refuseForeign(new Uint8Array(), { id: 'D' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stored.samples.map(({ integrationId }) => integrationId)).toEqual(['C', 'D']);
  });

  test('takes few of a network that does not know the secret', async () => {
    const { refuseForeign, stored } = openRecorder();
    for (let times = 0; times < 10; times += 1) {
      refuseForeign(text(1), { step: 'signature', code: 'invalid-hook-signature' });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(stored.samples).toHaveLength(3);
  });

  test('holds at most 100, and forgets those whose write failed', async () => {
    const { refuseForeign, state, stored, linesOf } = openRecorder();
    state.isDown = true;
    refuseForeign(text(1), { id: 'lost' });
    await vi.advanceTimersByTimeAsync(1_000);
    const err = expect.any(UnavailableError);
    expect(linesOf('samples')).toEqual([['warn', { err, waiting: 0 }, 'samples.not_stored']]);
    state.isDown = false;
    for (let index = 0; index < 105; index += 1) refuseForeign(text(1), { id: `${index}` });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stored.samples.map(({ integrationId }) => Number(integrationId))).toEqual([...new Array(100).keys()]);
    expect(linesOf('samples').at(-1)).toEqual(['info', { dropped: 6 }, 'samples.stored']);
  });
});

describe('counts', () => {
  test('are written every 10 s, and only if a hook came', async () => {
    const { recorder, refuse, stored } = openRecorder();
    for (let count = 0; count < 3; count += 1) recorder.countAccepted('A');
    refuse('A');
    refuse('B');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stored.counts).toEqual([
      [
        { integrationId: 'A', hour: hour(10), accepted: 3, refused: 1 },
        { integrationId: 'B', hour: hour(10), accepted: 0, refused: 1 },
      ],
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stored.counts).toHaveLength(1);
    recorder.countAccepted('A');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stored.counts[1]).toEqual([{ integrationId: 'A', hour: hour(11), accepted: 1, refused: 0 }]);
  });

  test('are kept for each hour while the store is away, unless no store keeps that hour', async () => {
    const { recorder, refuse, state, stored, linesOf } = openRecorder();
    state.isDown = true;
    recorder.countAccepted('A');
    await vi.advanceTimersByTimeAsync(10_000);
    recorder.countAccepted('A');
    await vi.advanceTimersByTimeAsync(10_000);
    refuse('A');
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stored.counts).toEqual([
      [
        { integrationId: 'A', hour: hour(10), accepted: 1, refused: 0 },
        { integrationId: 'A', hour: hour(11), accepted: 1, refused: 1 },
      ],
    ]);
    expect(linesOf('hook_counts').map(([, , line]) => line)).toEqual(['hook_counts.not_stored', 'hook_counts.stored']);
    state.isDown = true;
    recorder.countAccepted('A');
    await vi.advanceTimersByTimeAsync(26 * 3_600_000);
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(stored.counts).toHaveLength(1);
  });
});

describe('close', () => {
  test('writes what waits, once', async () => {
    const { recorder, refuse, stored } = openRecorder();
    refuse('A');
    await recorder.close();
    expect([stored.refusals.length, stored.counts.length]).toEqual([1, 1]);
    const other = openRecorder();
    other.state.isDown = true;
    other.refuse('A');
    await other.recorder.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(other.state.calls).toBe(2);
  });

  test('waits at most 2 s for a store that hangs, which it asks to store 20 at once, and logs what is lost', async () => {
    const { recorder, refuse, state, linesOf } = openRecorder();
    state.hangs = true;
    for (let index = 0; index < 30; index += 1) refuse(`A${index}`);
    const closed = recorder.close();
    await vi.advanceTimersByTimeAsync(2_100);
    await closed;
    // One of them for the counts.
    expect(state.calls).toBe(21);
    expect(linesOf('refusals')).toEqual([['warn', { dropped: 30 }, 'refusals.not_stored']]);
  });
});
