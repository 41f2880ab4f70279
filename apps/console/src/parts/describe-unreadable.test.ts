import { expect, test } from 'vitest';
import { describeUnreadable } from './describe-unreadable.ts';

test.each([
  [{ items: [], unreadableItems: 1 }, /^1 item could not be read, and is missing here/],
  [{ items: [], unreadableItems: 3 }, /^3 items could not be read, and are missing here/],
])('an answer that leaves items out says so: %j', (answer, text) => {
  expect(describeUnreadable(answer)).toMatch(text);
});

test.each([[{ items: [] }], [[]], [null]])('nothing is said of %j', (answer) => {
  expect(describeUnreadable(answer)).toBeNull();
});
