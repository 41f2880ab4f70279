import { aPodState, aProcessState } from '@widget-service/shared/tasks/testing/a-process-state.ts';
import { expect, test } from 'vitest';
import { findConditions, type JudgedState } from './conditions.ts';

type Pod = Parameters<typeof aPodState>[0];
const written = (...states: readonly ReturnType<typeof aProcessState>[]) =>
  states.map((state) => ({ state, ageMs: 15_000 }));
const withPod = (pod: Pod) => ({ processes: written(aPodState(pod), aProcessState()) });
const hour = (count: number) => Array.from({ length: 240 }, (_, point) => (point === 0 ? null : count));
const healthy: JudgedState = {
  hooksAccepted: hour(986),
  hooksFailed: hour(14),
  queueAgesSeconds: [60, 0],
  outboxAgeSeconds: 60,
  deadLetters: [],
  ...withPod({ streamsOpen: 80, streamsMax: 100, lagEvents: 1_000 }),
  knowsOthers: true,
  hasWorkers: true,
};
const find = (changes: Partial<JudgedState>) => findConditions({ ...healthy, ...changes });

test('nothing is wrong up to the limits of the alerts', () => {
  expect(find({})).toEqual([]);
});

test.each<[string, Partial<JudgedState>, RegExp]>([
  ['hooks-refused', { hooksFailed: hour(15) }, /5 minutes, 2 % got 5xx. No pod refuses/],
  [
    'hooks-refused',
    { hooksAccepted: hour(0), hooksFailed: [...hour(0), 10], ...withPod({ hookFailure: '0 of 1 replicas confirmed' }) },
    /100 % got 5xx. 0 of 1 replicas confirmed\.$/,
  ],
  ['hooks-wait', { queueAgesSeconds: [61] }, /61 s/],
  ['outboxes-overdue', { outboxAgeSeconds: 61 }, /61 s/],
  ['dead-letters', { deadLetters: [{ integrationName: 'Factory', count: 3 }] }, /3 hooks.*redrive/],
  ['dead-letters', { deadLetters: [{ integrationName: 'Factory', count: 1 }] }, /^1 hook could.*redrive it/],
  [
    'pod-not-ready',
    { processes: written({ ...aPodState(), notReady: ['tail: it waits for redis'] }, aProcessState()) },
    /tail: it waits.*other pods serve/,
  ],
  ['tail-behind', withPod({ lagEvents: 1_001 }), /1001 events/],
  ['streams-near-limit', withPod({ streamsOpen: 81 }), /81 of 100/],
  [
    'process-silent',
    { processes: [...written(aPodState(), aProcessState()), { state: aProcessState(), ageMs: 15_500 }] },
    /16 s old.*frozen/,
  ],
  ['no-worker', { processes: written(aPodState()) }, /nothing processes them/],
  [
    'worker-not-ready',
    { processes: written(aPodState(), aProcessState({ notReady: ['hook-consumer: it waits'] })) },
    /hook-consumer: it waits.*other workers process/,
  ],
  ['control-unavailable', withPod({ isControlUnreachable: true }), /control log cannot be read/],
  ['store-unavailable', { queueAgesSeconds: null }, /The hook queue/],
  ['store-unavailable', { outboxAgeSeconds: null }, /The store/],
  ['store-unavailable', { knowsOthers: false, processes: written(aPodState()) }, /states of the other pods/],
])('%s: %j', (code, changes, detail) => {
  expect(find(changes)).toMatchObject([{ code, detail: expect.stringMatching(detail) }]);
});

test('few failed hooks, and those of an hour ago, are no condition', () => {
  expect(find({ hooksAccepted: [], hooksFailed: [9] })).toEqual([]);
  expect(find({ hooksFailed: [1_000, ...hour(0)] })).toEqual([]);
});

test('an unknown lag is none', () => {
  expect(find(withPod({ lagEvents: null }))).toEqual([]);
});

test('says nothing of workers where the pod processes hooks itself', () => {
  expect(find({ hasWorkers: false, processes: written(aPodState()) })).toEqual([]);
});

test('a silent worker alone is none', () => {
  const processes = [...written(aPodState()), { state: aProcessState(), ageMs: 15_500 }];
  expect(find({ processes }).map(({ code }) => code)).toEqual(['no-worker', 'process-silent']);
});

test('the worst comes first', () => {
  const found = find({ deadLetters: [{ integrationName: 'Factory', count: 3 }], queueAgesSeconds: [90] });
  expect(found.map(({ severity }) => severity)).toEqual(['page', 'ticket']);
});
