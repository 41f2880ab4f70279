import { expect, test } from 'vitest';
import { spoiled } from '../checkers/healthy-evidence.ts';
import { hooksSentIn, judged, notAnsweredAsPromised, streamsEndedIn } from './outage.ts';

const always = { fromMs: 0, toMs: 1_000 };
const { recording } = spoiled(() => undefined);
const [accepted, , , unanswered, refused] = recording.hooks;

test('hooks are of the time in which they were sent', () => {
  expect(hooksSentIn(recording, always)).toHaveLength(recording.hooks.length);
  expect(hooksSentIn(recording, { fromMs: 1, toMs: 1_000 })).toEqual([]);
});

test('an answer within 2 s is as promised, accepted or refused for now; anything else is not', () => {
  expect(notAnsweredAsPromised([accepted!, { ...accepted!, latencyMs: 2_000 }, refused!])).toEqual([]);
  expect(notAnsweredAsPromised([{ ...accepted!, latencyMs: 2_001 }])).toHaveLength(1);
  expect(notAnsweredAsPromised([{ ...refused!, latencyMs: 2_001 }])).toHaveLength(1);
  expect(notAnsweredAsPromised([unanswered!])).toHaveLength(1);
  expect(notAnsweredAsPromised([{ ...refused!, status: 500 }])).toHaveLength(1);
});

test('nothing is said of what was under way while the machine worked for others', () => {
  const starved = { ...accepted!, latencyMs: 9_000, wasStarved: true };
  expect(notAnsweredAsPromised([starved])).toEqual([]);
  expect(judged([starved, accepted!])).toEqual([accepted!]);
});

test('a stream that ended in the time is told, but not one that was revoked or that its client closed', () => {
  expect(streamsEndedIn(recording, always)).toEqual([expect.stringContaining('everything ended 60 ms')]);
  expect(streamsEndedIn(recording, { fromMs: 61, toMs: 5_000 })).toEqual([]);
  const closed = spoiled((evidence) => {
    for (const stream of evidence.recording.streams) stream.closedBy = 'client';
  });
  expect(streamsEndedIn(closed.recording, always)).toEqual([]);
});
