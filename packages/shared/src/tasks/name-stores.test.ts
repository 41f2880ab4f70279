import { expect, it as test } from 'vitest';
import { makeNameStores } from './name-stores.ts';

const mongodb = { MONGODB_URL: 'mongodb://user:secret@db/' };
const failing = (name: string) => [{ name, reason: 'makes no progress' }];

test('names the Redis of the event log, and never a URL', () => {
  const one = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: null });
  const two = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: 'redis://:secret@events/' });
  for (const task of ['tail', 'control']) {
    expect(one(failing(task))).toEqual([{ name: task, reason: 'makes no progress (store: REDIS_URL)' }]);
    expect(two(failing(task))).toEqual([{ name: task, reason: 'makes no progress (store: EVENTS_REDIS_URL)' }]);
  }
  expect(two(failing('hook-queue'))).toEqual([{ name: 'hook-queue', reason: 'makes no progress (store: REDIS_URL)' }]);
});

test('names the folder of the embedded service', () => {
  const nameStores = makeNameStores({ MONGODB_URL: null, EVENTS_REDIS_URL: null });
  expect(nameStores(failing('tail'))).toEqual([{ name: 'tail', reason: 'makes no progress (store: DATA_DIR)' }]);
});

test('changes no check that passes, and none of a task without a store', () => {
  const nameStores = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: null });
  const checks = [{ name: 'tail', reason: null }, ...failing('state-sampler')];
  expect(nameStores(checks)).toEqual(checks);
});
