import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';
import { processStateLimits, type ReadState } from '@widget-service/shared/ports/process-states.ts';
import { aPodState } from '@widget-service/shared/tasks/testing/a-process-state.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anEntitlement, type FakeHub, openFakeHub } from './fan-out/testing/fake-hub.ts';
import { openFakeSink } from './fan-out/testing/fake-sink.ts';
import { listLengthMax, listStreams, StreamDirectory } from './stream-directory.ts';

let fake: FakeHub;
let announced: ControlEntry[];
beforeEach(() => {
  fake = openFakeHub({ ringFrames: 10 });
  announced = [];
});
afterEach(() => fake.hub.close());

const { holder } = anEntitlement();
const subscriptionId = holder.id;
const own = aPodState();
const stream = { id: 'theirs', address: null, position: 'e1.1.1', openedAtMs: 0, sentBytes: 0, unsentBytes: 0 };

/** The directory of a pod with a real hub, beside pods with these states. */
function openDirectory(others: readonly ReadState[] = []) {
  return new StreamDirectory({
    states: { list: async () => [{ state: own, ageMs: 4_000, streams: [{ ...stream, id: 'stale' }] }, ...others] },
    describePod: async () => own,
    hub: fake.hub,
    control: { announce: async (entry) => void announced.push(entry) },
    clock: { now: () => new Date(10_000) },
  });
}

test('lists at most 1 000 streams, its own as they are now, and counts all', async () => {
  for (let n = 0; n < listLengthMax + 5; n += 1) fake.join(openFakeSink(), 0);
  const found = await openDirectory().list(subscriptionId);
  expect(found.streams).toHaveLength(listLengthMax);
  expect(found).toMatchObject({ count: listLengthMax + 5, isComplete: true, asOf: new Date(10_000) });
});

test('adds the lists of other pods, and says how old they are and that one is cut', async () => {
  fake.join(openFakeSink(), 0);
  const other = aPodState({ isListCut: true });
  const found = await openDirectory([{ state: other, ageMs: 3_000, streams: [stream] }]).list(subscriptionId);
  expect(found).toMatchObject({ count: 2, isComplete: false, asOf: new Date(7_000) });
  expect(found.streams.at(-1)).toEqual({ ...stream, pod: other.name });
});

test('ends an own stream at once, tells the other pods of one of theirs, and knows no other', async () => {
  fake.join(openFakeSink(), 0);
  const directory = openDirectory([{ state: aPodState(), ageMs: 0, streams: [stream] }]);
  const [first] = (await directory.list(subscriptionId)).streams;
  expect(await directory.end(subscriptionId, first?.id ?? '')).toBe(true);
  expect(fake.reasons).toEqual(['lifetime']);
  expect(announced).toEqual([]);
  expect(await directory.end(subscriptionId, 'theirs')).toBe(true);
  expect(announced).toEqual([{ kind: 'stream', id: 'theirs', change: 'revoked' }]);
  expect(await directory.end(subscriptionId, first?.id ?? '')).toBe(false);
  expect(announced).toHaveLength(1);
});

test('writes the newest streams of a pod', () => {
  for (let n = 0; n < processStateLimits.listedStreams + 5; n += 1) fake.join(openFakeSink(), 0);
  const all = [...fake.hub.connections()].map(({ id }) => id);
  const listed = listStreams(fake.hub).get(subscriptionId) ?? [];
  expect(listed.map(({ id }) => id)).toEqual(all.slice(5));
});
