import { describe, expect, test } from 'vitest';
import { texts } from '../../texts/texts.ts';
import { isSettled, summarizeRedrive } from './redrive-outcome.ts';

const dead = { eventId: '01', state: 'dead', attempts: 2, reason: 'store-refused' } as const;
const published = { eventId: '02', state: 'published', attempts: 2, reason: null } as const;

describe('isSettled', () => {
  test('is false while the delivery waits, and true once it is published', () => {
    expect(isSettled({ ...published, state: 'received' }, 1)).toBe(false);
    expect(isSettled(published, 1)).toBe(true);
  });

  test('is true for a dead delivery only after another attempt', () => {
    expect(isSettled(dead, 2)).toBe(false);
    expect(isSettled(dead, 1)).toBe(true);
  });
});

test('says how many are published, and why the others are dead again', () => {
  const { describeRedrive } = texts.hooks;
  expect(describeRedrive(summarizeRedrive([published], 0))).toBe('1 delivery was published.');
  expect(describeRedrive(summarizeRedrive([published, published], 0))).toBe('2 deliveries were published.');
  expect(describeRedrive(summarizeRedrive([published, dead, dead], 0))).toBe(
    '1 delivery was published. 2 deliveries are dead again. The store rejects it as it is.',
  );
  expect(describeRedrive(summarizeRedrive([dead], 2))).toBe(
    '1 delivery is dead again. The store rejects it as it is. 2 deliveries are not processed yet.',
  );
});
