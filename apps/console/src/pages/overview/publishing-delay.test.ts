import { expect, test } from 'vitest';
import { readPublishingDelay } from './publishing-delay.ts';

test('tells of a delay after 10 s', () => {
  const since = '2026-11-25T08:00:00.000Z';
  const read = (at: string) => readPublishingDelay({ at, outboxesWaitingSince: since });
  expect(read('2026-11-25T08:00:10.000Z')).toBeNull();
  expect(read('2026-11-25T08:00:10.001Z')).toBe(since);
  expect(readPublishingDelay({ at: since, outboxesWaitingSince: null })).toBeNull();
});
