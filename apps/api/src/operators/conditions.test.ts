import { expect, test } from 'vitest';
import { findConditions, type JudgedState } from './conditions.ts';

const pod = { name: 'pod-1', streamsOpen: 10, streamsMax: 100, lagEvents: 0, notReady: [] };
const hour = (count: number) => Array.from({ length: 240 }, (_, point) => (point === 0 ? null : count));
const hooks = { hooksAccepted: hour(986), hooksFailed: hour(14), reasons: [] };
const healthy: JudgedState = {
  hooks,
  queues: [{ ageSeconds: 60 }, { ageSeconds: 0 }],
  outboxAgeSeconds: 60,
  deadLetters: [],
  pods: [{ ...pod, streamsOpen: 80, lagEvents: 1_000 }],
  podsAsked: 1,
  podsAnswered: 1,
  hasWorkers: true,
  workers: { states: [{ name: 'worker-1', notReady: [] }], asked: 1 },
};
const find = (changes: Partial<JudgedState>) => findConditions({ ...healthy, ...changes });

test('nothing is wrong up to the limits of the alerts', () => {
  expect(find({})).toEqual([]);
});

test.each<[string, Partial<JudgedState>, RegExp]>([
  ['hooks-refused', { hooks: { ...hooks, hooksFailed: hour(15) } }, /5 minutes, 2 % got 5xx. No pod refuses/],
  [
    'hooks-refused',
    { hooks: { hooksAccepted: hour(0), hooksFailed: [...hour(0), 10], reasons: ['0 of 1 replicas confirmed'] } },
    /100 % got 5xx. 0 of 1 replicas confirmed\.$/,
  ],
  ['hooks-wait', { queues: [{ ageSeconds: 61 }] }, /61 s/],
  ['outboxes-overdue', { outboxAgeSeconds: 61 }, /61 s/],
  ['dead-letters', { deadLetters: [{ integrationName: 'Factory', count: 3 }] }, /3 hooks.*redrive/],
  ['dead-letters', { deadLetters: [{ integrationName: 'Factory', count: 1 }] }, /^1 hook could.*redrive it/],
  ['pod-not-ready', { pods: [{ ...pod, notReady: ['tail: it waits for redis'] }] }, /tail: it waits/],
  ['tail-behind', { pods: [{ ...pod, lagEvents: 1_001 }] }, /1001 events/],
  ['streams-near-limit', { pods: [{ ...pod, streamsOpen: 81 }] }, /81 of 100/],
  ['pods-silent', { podsAsked: 3, podsAnswered: 2 }, /2 of 3/],
  ['no-worker', { workers: { states: [], asked: 0 } }, /nothing processes them/],
  ['workers-silent', { workers: { states: [{ name: 'worker-1', notReady: [] }], asked: 2 } }, /1 of 2/],
  [
    'worker-not-ready',
    { workers: { states: [{ name: 'worker-1', notReady: ['hook-consumer: it waits'] }], asked: 1 } },
    /hook-consumer: it waits/,
  ],
  ['store-unavailable', { queues: null }, /hook queue did not answer/],
  ['store-unavailable', { outboxAgeSeconds: null }, /store did not answer/],
])('%s: %j', (code, changes, detail) => {
  expect(find(changes)).toMatchObject([{ code, detail: expect.stringMatching(detail) }]);
});

test('few failed hooks, and those of an hour ago, are no condition', () => {
  expect(find({ hooks: { ...hooks, hooksAccepted: [], hooksFailed: [9] } })).toEqual([]);
  expect(find({ hooks: { ...hooks, hooksFailed: [1_000, ...hour(0)] } })).toEqual([]);
});

test('a pod without a limit of streams is never near it, and an unknown lag is none', () => {
  expect(find({ pods: [{ ...pod, streamsMax: 0, streamsOpen: 9, lagEvents: null }] })).toEqual([]);
});

test('says nothing of workers where the pod processes hooks itself, or where nobody could be asked', () => {
  expect(find({ hasWorkers: false, workers: { states: [], asked: 0 } })).toEqual([]);
  expect(find({ workers: null })).toEqual([]);
});

test('the worst comes first', () => {
  const found = find({ deadLetters: [{ integrationName: 'Factory', count: 3 }], queues: [{ ageSeconds: 90 }] });
  expect(found.map(({ severity }) => severity)).toEqual(['page', 'ticket']);
});
