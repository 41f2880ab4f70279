import { expect, test } from 'vitest';
import type { StoreRole, TaskCheck } from '../runtime/supervisor.ts';
import { Readiness } from './readiness.ts';

const mongodb = { MONGODB_URL: 'mongodb://user:secret@db/' };
const makeCheck = (settings: ConstructorParameters<typeof Readiness>[0]) => (tasks: readonly TaskCheck[]) =>
  new Readiness(settings, () => tasks, false).checks();
const failing = (...stores: StoreRole[]) => [{ name: 'task', reason: 'makes no progress', stores }];
const withStore = (settings: string) => [{ name: 'task', reason: `makes no progress (store: ${settings})` }];

test('names the Redis of the event log, and never a URL', () => {
  const one = makeCheck({ ...mongodb, EVENTS_REDIS_URL: null });
  const two = makeCheck({ ...mongodb, EVENTS_REDIS_URL: 'redis://:secret@events/' });
  expect(one(failing('events'))).toEqual(withStore('REDIS_URL'));
  expect(two(failing('events'))).toEqual(withStore('EVENTS_REDIS_URL'));
  expect(two(failing('queue'))).toEqual(withStore('REDIS_URL'));
});

test('names each setting once', () => {
  const one = makeCheck({ ...mongodb, EVENTS_REDIS_URL: null });
  const two = makeCheck({ ...mongodb, EVENTS_REDIS_URL: 'redis://:secret@events/' });
  expect(one(failing('documents', 'queue', 'events'))).toEqual(withStore('MONGODB_URL, REDIS_URL'));
  expect(two(failing('documents', 'queue', 'events'))).toEqual(withStore('MONGODB_URL, REDIS_URL, EVENTS_REDIS_URL'));
});

test('names the folder of the embedded service', () => {
  const nameStores = makeCheck({ MONGODB_URL: null, EVENTS_REDIS_URL: null });
  expect(nameStores(failing('documents', 'events'))).toEqual(withStore('DATA_DIR'));
});

test('changes no check that passes, and none of a task without a store', () => {
  const nameStores = makeCheck({ ...mongodb, EVENTS_REDIS_URL: null });
  expect(nameStores([{ name: 'tail', reason: null, stores: ['events'] }])).toEqual([{ name: 'tail', reason: null }]);
  expect(nameStores(failing())).toEqual([{ name: 'task', reason: 'makes no progress' }]);
});

test('a process that drains is not ready', () => {
  const settings = { ...mongodb, EVENTS_REDIS_URL: null };
  const readiness = new Readiness(settings, () => [], true);
  expect(readiness.checks()).toEqual([{ name: 'drain', reason: null }]);
  readiness.markDraining();
  expect(readiness.checks()).toEqual([{ name: 'drain', reason: 'the process is draining' }]);
});

test('listReasons returns a text for each task that makes no progress', () => {
  const settings = { ...mongodb, EVENTS_REDIS_URL: null };
  const ready = { name: 'tail', reason: null, stores: ['events'] as const };
  const readiness = new Readiness(settings, () => [ready, ...failing('queue')], true);
  expect(readiness.listReasons()).toEqual(['task: makes no progress (store: REDIS_URL)']);
});
