import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anEntitlement, type FakeHub, openFakeHub } from './fan-out/testing/fake-hub.ts';
import { openFakeSink } from './fan-out/testing/fake-sink.ts';
import { listedStreamsMax, openStreamDirectory } from './stream-directory.ts';

let fake: FakeHub;
beforeEach(() => {
  fake = openFakeHub({ ringFrames: 10 });
});
afterEach(() => fake.hub.close());

/** A directory over one real hub, among pods of which some do not answer, or answer in a form of a newer version. */
function openDirectory({ silentPods = 0, otherAnswers = [] as string[] } = {}) {
  let answerOwn: (question: string) => string | null = () => null;
  const directory = openStreamDirectory({
    podRequests: {
      ask: async (question) => {
        const answers = [answerOwn(question), ...otherAnswers].filter((answer) => answer !== null);
        return { asked: 1 + otherAnswers.length + silentPods, answers };
      },
      serve: (answer) => {
        answerOwn = answer;
        return () => undefined;
      },
    },
    hub: fake.hub,
  });
  return { directory, ask: (question: string) => answerOwn(question) };
}

const { holder } = anEntitlement();
const subscriptionId = holder.id;

test('lists at most 1 000 streams, and says how many are open', async () => {
  for (let n = 0; n < listedStreamsMax + 5; n += 1) fake.join(openFakeSink(), 0);
  const { streams, openStreams } = await openDirectory().directory.list(subscriptionId);
  expect(streams).toHaveLength(listedStreamsMax);
  expect(openStreams).toBe(listedStreamsMax + 5);
});

test('says that pods did not answer, or that their answer cannot be read', async () => {
  fake.join(openFakeSink(), 0);
  const { directory } = openDirectory({ silentPods: 2, otherAnswers: ['{"version":2}', 'not JSON'] });
  const result = await directory.list(subscriptionId);
  expect(result).toMatchObject({ openStreams: 1, podsAsked: 5, podsAnswered: 1 });
});

test('ends a stream even if other pods do not answer, but never calls one unknown that such a pod may have', async () => {
  const sink = openFakeSink();
  fake.join(sink, 0);
  const { directory } = openDirectory({ silentPods: 1 });
  const [stream] = (await directory.list(subscriptionId)).streams;
  expect(await directory.end(subscriptionId, stream?.id ?? '')).toBe(true);
  expect(fake.reasons).toEqual(['lifetime']);
  await expect(directory.end(subscriptionId, stream?.id ?? '')).rejects.toThrow(UnavailableError);
  expect(await openDirectory().directory.end(subscriptionId, stream?.id ?? '')).toBe(false);
});

test('leaves a question unanswered that it cannot read', () => {
  const { ask } = openDirectory();
  for (const question of ['', '{}', '{"version":2,"kind":"list"}']) expect(ask(question)).toBeNull();
});
