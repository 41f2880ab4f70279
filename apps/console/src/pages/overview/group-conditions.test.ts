import { expect, test } from 'vitest';
import { texts } from '../../texts/texts.ts';
import { groupConditions } from './group-conditions.ts';

const common = { detail: '', runbook: null };
const noWorker = { ...common, code: 'no-worker', severity: 'page', title: 'No worker answers' } as const;
const dead = { ...common, code: 'dead-letters', severity: 'ticket' } as const;

test('makes one problem of all conditions with one code', () => {
  const conditions = [noWorker, { ...dead, title: 'Of one' }, { ...dead, title: 'Of another' }];
  expect(groupConditions(conditions).map(({ code, conditions }) => [code, conditions.length])).toEqual([
    ['no-worker', 1],
    ['dead-letters', 2],
  ]);
});

test('says how many problems there are, and how many are urgent', () => {
  const { countProblems } = texts.overview;
  expect(countProblems(0, 0)).toBe('All systems normal');
  expect(countProblems(1, 0)).toBe('1 problem, not urgent');
  expect(countProblems(1, 1)).toBe('1 urgent problem: users are affected');
  expect(countProblems(2, 0)).toBe('2 problems, not urgent');
  expect(countProblems(2, 1)).toBe('2 problems, 1 urgent: users are affected');
});

test('says what flows, as far as it is known', () => {
  const { describeFlow } = texts.overview;
  expect(describeFlow(null, null)).toBe('');
  expect(describeFlow('0', null)).toBe('No hooks right now.');
  expect(describeFlow(null, '84 ms')).toBe('95 of 100 events reach the open streams within 84 ms.');
  expect(describeFlow('17.2', '84 ms')).toBe(
    'Accepting 17.2 hooks/s. 95 of 100 events reach the open streams within 84 ms.',
  );
});
