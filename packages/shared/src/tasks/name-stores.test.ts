import { expect, test } from 'vitest';
import type { StoreRole } from '../runtime/supervisor.ts';
import { makeNameStores } from './name-stores.ts';

const mongodb = { MONGODB_URL: 'mongodb://user:secret@db/' };
const failing = (...stores: StoreRole[]) => [{ name: 'task', reason: 'makes no progress', stores }];
const withStore = (settings: string) => [{ name: 'task', reason: `makes no progress (store: ${settings})` }];

test('names the Redis of the event log, and never a URL', () => {
  const one = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: null });
  const two = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: 'redis://:secret@events/' });
  expect(one(failing('events'))).toEqual(withStore('REDIS_URL'));
  expect(two(failing('events'))).toEqual(withStore('EVENTS_REDIS_URL'));
  expect(two(failing('queue'))).toEqual(withStore('REDIS_URL'));
});

test('names each setting once', () => {
  const one = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: null });
  const two = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: 'redis://:secret@events/' });
  expect(one(failing('documents', 'queue', 'events'))).toEqual(withStore('MONGODB_URL, REDIS_URL'));
  expect(two(failing('documents', 'queue', 'events'))).toEqual(withStore('MONGODB_URL, REDIS_URL, EVENTS_REDIS_URL'));
});

test('names the folder of the embedded service', () => {
  const nameStores = makeNameStores({ MONGODB_URL: null, EVENTS_REDIS_URL: null });
  expect(nameStores(failing('documents', 'events'))).toEqual(withStore('DATA_DIR'));
});

test('changes no check that passes, and none of a task without a store', () => {
  const nameStores = makeNameStores({ ...mongodb, EVENTS_REDIS_URL: null });
  expect(nameStores([{ name: 'tail', reason: null, stores: ['events'] }])).toEqual([{ name: 'tail', reason: null }]);
  expect(nameStores(failing())).toEqual([{ name: 'task', reason: 'makes no progress' }]);
});
