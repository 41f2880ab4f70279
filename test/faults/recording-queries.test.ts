import { expect, test } from 'vitest';
import { makeEvidence } from '../checkers/healthy-evidence.ts';
import { excludeStarved, findEndedStreams, findLateOrWrongAnswers, selectHooks } from './recording-queries.ts';

const always = { fromMs: 0, toMs: 1_000 };
const { recording } = makeEvidence(() => undefined);
const [accepted, , , unanswered, refused] = recording.hooks;

test('selectHooks selects hooks by the time at which they were sent, without those of a token to be revoked', () => {
  expect(selectHooks(recording, always)).toEqual(recording.hooks.filter(({ revocation }) => revocation === null));
  expect(selectHooks(recording, { fromMs: 1, toMs: 1_000 })).toEqual([]);
});

test('findLateOrWrongAnswers allows a 202 or an "unavailable" within 2 s, and reports every other answer', () => {
  expect(findLateOrWrongAnswers([accepted!, { ...accepted!, latencyMs: 2_000 }, refused!])).toEqual([]);
  expect(findLateOrWrongAnswers([{ ...accepted!, latencyMs: 2_001 }])).toHaveLength(1);
  expect(findLateOrWrongAnswers([{ ...refused!, latencyMs: 2_001 }])).toHaveLength(1);
  expect(findLateOrWrongAnswers([unanswered!])).toHaveLength(1);
  expect(findLateOrWrongAnswers([{ ...refused!, status: 500 }])).toHaveLength(1);
});

test('an operation during which the machine had too little CPU time is not judged', () => {
  const starved = { ...accepted!, latencyMs: 9_000, wasStarved: true };
  expect(findLateOrWrongAnswers([starved])).toEqual([]);
  expect(excludeStarved([starved, accepted!])).toEqual([accepted!]);
});

test('findEndedStreams reports a stream that ended in the range, unless it was revoked or its client closed it', () => {
  expect(findEndedStreams(recording, always)).toEqual([expect.stringContaining('everything ended 60 ms')]);
  expect(findEndedStreams(recording, { fromMs: 61, toMs: 5_000 })).toEqual([]);
  const closed = makeEvidence((evidence) => {
    for (const stream of evidence.recording.streams) stream.closedBy = 'client';
  });
  expect(findEndedStreams(closed.recording, always)).toEqual([]);
});
