import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type HookSample, sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
import { describe, expect, test } from 'vitest';
import { SampleRecorder } from './sample-recorder.ts';

/** A recorder over a store that keeps what it gets, fails while `isDown` is set, and waits for `gate`. */
function openRecorder() {
  const state = {
    now: new Date('2026-03-01T10:00:00.100Z'),
    isDown: false,
    gate: Promise.resolve(),
    stored: [] as HookSample[],
    lines: [] as unknown[],
  };
  const recorder = new SampleRecorder({
    samples: {
      add: async (sample) => {
        await state.gate;
        if (state.isDown) throw new UnavailableError('the store is down');
        state.stored.push(sample);
      },
    },
    clock: { now: () => state.now },
    logger: { warn: (_fields: unknown, line: unknown) => void state.lines.push(line) } as never,
  });
  const record = (integrationId: string, code = 'invalid-json', body: Uint8Array = Buffer.from('no')) =>
    recorder.record(integrationId, code, body, () => ({
      requestId: 'r',
      refusal: { step: 'body', reason: 'no JSON' },
      headers: {},
      withheldHeaders: [],
    }));
  const later = (ms: number) => (state.now = new Date(state.now.getTime() + ms));
  const listStored = async () => {
    await recorder.close();
    return state.stored.map(({ integrationId, code }) => `${integrationId} ${code}`);
  };
  return { recorder, state, record, later, listStored };
}

describe('SampleRecorder', () => {
  test('stores the first of a second per integration and code', async () => {
    const { record, later, listStored } = openRecorder();
    for (const code of ['invalid-json', 'invalid-json', 'hook-not-mappable']) record('A', code);
    record('B');
    later(899);
    record('A');
    later(1);
    record('A');
    expect(await listStored()).toEqual(['A invalid-json', 'A hook-not-mappable', 'B invalid-json', 'A invalid-json']);
  });

  test('takes bodies up to the limit, of UTF-8 only', async () => {
    const { record, listStored } = openRecorder();
    record('A', 'invalid-json', Buffer.alloc(sampleLimits.bodyBytesMax + 1, 'a'));
    record('B', 'invalid-json', Buffer.from([0x7b, 0xff]));
    record('C', 'invalid-json', Buffer.alloc(sampleLimits.bodyBytesMax, 'a'));
    record('D', 'invalid-json', new Uint8Array());
    expect(await listStored()).toEqual(['C invalid-json', 'D invalid-json']);
  });

  test('writes at most ten at a time, and forgets what comes besides', async () => {
    const { record, state, later, listStored } = openRecorder();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.gate = promise;
    for (let index = 0; index < 15; index += 1) record(`${index}`);
    resolve();
    expect(await listStored()).toHaveLength(10);
    later(1_000);
    record('again');
    expect(await listStored()).toHaveLength(11);
  });

  test('fails nothing while the store is down, and says it once', async () => {
    const { record, state, later, listStored } = openRecorder();
    state.isDown = true;
    for (let times = 0; times < 3; times += 1) {
      record('A');
      await listStored();
      later(1_000);
    }
    expect(state.lines).toEqual(['samples.not_stored']);
    state.isDown = false;
    record('A');
    expect(await listStored()).toEqual(['A invalid-json']);
    state.isDown = true;
    record('B');
    await listStored();
    expect(state.lines).toHaveLength(2);
  });
});
