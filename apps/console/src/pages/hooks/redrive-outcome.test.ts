import { describe, expect, test } from 'vitest';
import { texts } from '../../texts/texts.ts';
import { isSettled, sortReport, summarizeRedrive } from './redrive-outcome.ts';

const dead = { eventId: '01', state: 'dead', attempts: 2, reason: 'store-refused' } as const;
const published = { eventId: '02', state: 'published', attempts: 2, reason: null } as const;
const discarded = { eventId: '03', state: 'discarded', attempts: 2, reason: 'store-refused' } as const;

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
    '1 delivery was published. 2 deliveries are dead again: rejected by the database.',
  );
  expect(describeRedrive(summarizeRedrive([dead], 2))).toBe(
    '1 delivery is dead again: rejected by the database. 2 deliveries are not processed yet.',
  );
});

test('says of those that were not queued that they are dead as before', () => {
  expect(texts.hooks.describeRedrive({ ...summarizeRedrive([published], 0), failed: 1, gone: 2 })).toBe(
    '1 delivery was published. 1 delivery was not queued: redrive it again. 2 deliveries cannot be redriven: their integration is deleted.',
  );
});

test('does not count a delivery that somebody else has discarded as published', () => {
  const outcome = summarizeRedrive([discarded], 0);
  expect(outcome).toMatchObject({ published: 0, dead: 0 });
  expect(texts.hooks.describeRedrive(outcome)).toBe('No delivery was redriven.');
});

test('follows what was queued, also by somebody else; what has no report was not queued', () => {
  const deliveries = ['queued', 'elsewhere', 'refused', 'deleted', 'missing'].map((eventId) => ({ eventId }));
  const sorted = sortReport(deliveries, [
    { eventId: 'queued', outcome: 'redriven' },
    { eventId: 'elsewhere', outcome: 'not-dead' },
    { eventId: 'refused', outcome: 'failed' },
    { eventId: 'deleted', outcome: 'not-found' },
  ]);
  expect(sorted).toEqual({ followed: [{ eventId: 'queued' }, { eventId: 'elsewhere' }], failed: 2, gone: 1 });
});
