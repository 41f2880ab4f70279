import type { PeerAnswers, PeerRequests } from '@widget-service/shared/ports/peer-requests.ts';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

describe.each(['podRequests', 'workerRequests'] as const)('PeerRequests: %s', async (port) => {
  const stops: (() => void)[] = [];
  const testBackend = await openSharedBackend();
  /** Another pod on the same stores; null where only one process may use them. */
  const peer = (await testBackend.openPeer?.()) ?? null;
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });
  afterAll(() => peer?.close());
  const own = () => testBackend.backend[port];
  const serve = (pod: PeerRequests, answer: (question: string) => string | null) => void stops.push(pod.serve(answer));

  /** Asks until this many pods are asked: a pod serves soon, not at once. */
  async function askWhenAsked(count: number, question: string, withinMs = 5_000): Promise<PeerAnswers> {
    let result: PeerAnswers = { asked: -1, answers: [] };
    await eventually(async () => {
      result = await own().ask(question, withinMs);
      return result.asked === count;
    }, `${count} pods are asked`);
    return result;
  }

  test('asks nobody while no pod serves, and does not wait', async () => {
    const elapsedMs = startStopwatch();
    expect(await askWhenAsked(0, 'anyone?', 10_000)).toEqual({ asked: 0, answers: [] });
    expect(elapsedMs()).toBeLessThan(5_000);
  });

  test('returns the answer of every pod that serves, without waiting longer', async () => {
    serve(own(), (question) => `own: ${question}`);
    const expected = ['own: "names"\n\u2028?'];
    if (peer !== null) {
      serve(peer[port], (question) => `peer: ${question}`);
      expected.push('peer: "names"\n\u2028?');
    }
    const { answers } = await askWhenAsked(expected.length, '"names"\n\u2028?', 10_000);
    expect(answers.toSorted()).toEqual(expected);
    const elapsedMs = startStopwatch();
    expect((await own().ask('again', 10_000)).answers).toHaveLength(expected.length);
    expect(elapsedMs()).toBeLessThan(5_000);
  });

  test('a pod that only asks gets the answers of the others', async () => {
    if (peer === null) return;
    serve(peer[port], () => 'peer');
    expect(await askWhenAsked(1, 'who?')).toEqual({ asked: 1, answers: ['peer'] });
  });

  test('keeps the answers to concurrent questions apart', async () => {
    serve(own(), (question) => `to ${question}`);
    await askWhenAsked(1, 'ready?');
    const results = await Promise.all(Array.from({ length: 50 }, (_, n) => own().ask(`${n}`, 5_000)));
    expect(results).toEqual(results.map((_, n) => ({ asked: 1, answers: [`to ${n}`] })));
  });

  test('counts a pod that does not answer as asked, and returns in time', async () => {
    let isReady = false;
    serve(own(), () => {
      if (!isReady) return 'ready';
      throw new Error('this pod fails');
    });
    if (peer !== null) serve(peer[port], () => (isReady ? null : 'ready'));
    const pods = peer === null ? 1 : 2;
    await askWhenAsked(pods, 'ready?');
    isReady = true;
    const elapsedMs = startStopwatch();
    expect(await own().ask('anyone?', 200)).toEqual({ asked: pods, answers: [] });
    expect(elapsedMs()).toBeLessThan(3_000);
  });

  test('does not ask a pod that no longer serves', async () => {
    const stop = own().serve(() => 'mine');
    expect((await askWhenAsked(1, 'who?')).answers).toEqual(['mine']);
    stop();
    expect(await askWhenAsked(0, 'who?', 100)).toEqual({ asked: 0, answers: [] });
  });

  test('asks only its own kind of processes', async () => {
    const other = testBackend.backend[port === 'podRequests' ? 'workerRequests' : 'podRequests'];
    serve(own(), () => 'of this kind');
    await askWhenAsked(1, 'ready?');
    stops.push(other.serve(() => 'of the other kind'));
    const hasOtherAnswered = async () => (await other.ask('ready?', 1_000)).answers.includes('of the other kind');
    await eventually(hasOtherAnswered, 'the other kind answers');
    expect(await own().ask('who?', 5_000)).toEqual({ asked: 1, answers: ['of this kind'] });
    expect(await other.ask('who?', 5_000)).toEqual({ asked: 1, answers: ['of the other kind'] });
  });

  test('passes on long answers', async () => {
    const long = 'ä'.repeat(400_000);
    serve(own(), () => long);
    expect((await askWhenAsked(1, 'long?')).answers).toEqual([long]);
  });
});
