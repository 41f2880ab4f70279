import { expect, test } from 'vitest';
import { type Budget, findExcess, findGrowth, lower, measure, type Tree } from './measure-budget.ts';

const files: Readonly<Record<string, string>> = {
  'apps/api/a.ts': 'one\ntwo\n',
  'apps/api/streams/b.ts': 'export interface Deps {}\n',
  'apps/api/streams/b.test.ts': 'not counted\n',
  'docs/c.md': 'words\n',
};
const tree: Tree = { paths: Object.keys(files), read: (path) => files[path] ?? '' };

function budgetOf(api: [lines: number, files: number], streams: [lines: number, files: number], most = 1): Budget {
  return {
    groups: {
      product: {
        include: '^apps/.*\\.ts$',
        exclude: '\\.test\\.ts$',
        parts: {
          api: { paths: ['apps/'], lines: api[0], files: api[1] },
          streams: { paths: ['apps/api/streams/'], lines: streams[0], files: streams[1] },
        },
      },
    },
    counts: { interfaces: { paths: ['apps/'], pattern: '^export interface', most } },
  };
}

test('a file counts for the part with the longest path, and each match of a pattern', () => {
  expect(measure(budgetOf([0, 0], [0, 0], 0), tree)).toEqual(budgetOf([2, 1], [1, 1], 1));
});

test('a file of no part is an error that names it', () => {
  const budget = budgetOf([2, 1], [1, 1]);
  const other: Tree = { paths: ['apps/x.ts'], read: () => '' };
  expect(() => measure({ ...budget, groups: { product: { ...budget.groups.product!, parts: {} } } }, other)).toThrow(
    'apps/x.ts belongs to no part',
  );
});

test('each figure above the budget is named', () => {
  const actual = measure(budgetOf([0, 0], [0, 0]), tree);
  expect(findExcess(budgetOf([2, 1], [1, 1]), actual)).toEqual([]);
  expect(findExcess(budgetOf([1, 1], [1, 0], 0), actual)).toEqual([
    'product, api, lines: 2, the budget is 1',
    'product, streams, files: 1, the budget is 0',
    'interfaces: 1, the budget is 0',
  ]);
});

test('parts may take from each other, but no sum and no count may grow', () => {
  expect(findGrowth(budgetOf([3, 1], [0, 1]), budgetOf([2, 1], [1, 1]))).toEqual([]);
  expect(findGrowth(budgetOf([3, 2], [1, 1], 2), budgetOf([2, 1], [1, 1]))).toEqual([
    'product, lines: the budget is 4, it was 3 before',
    'product, files: the budget is 3, it was 2 before',
    'interfaces: the budget is 2, it was 1 before',
  ]);
});

test('figures are lowered, never raised', () => {
  const actual = measure(budgetOf([0, 0], [0, 0]), tree);
  expect(lower(budgetOf([9, 9], [0, 0], 5), actual)).toEqual(budgetOf([2, 1], [0, 0], 1));
});
