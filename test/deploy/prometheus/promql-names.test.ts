import { expect, test } from 'vitest';
import { findGroupingLabels, findSelectors } from './rule-files.ts';

test('finds the metrics of an expression, and no functions, labels, ranges or strings', () => {
  const expression =
    'sum by (le, code) (rate(a_total{code=~"x|y(b)",n="{z}"}[5m])) / on (k) group_left (m) b:c:d > 14.4 * 0.1 or absent(up{job="j"}) unless on () group (i{x="y"}) and e offset 1h';
  expect(findSelectors(expression).map(({ metric }) => metric)).toEqual(['a_total', 'b:c:d', 'up', 'i', 'e']);
  expect(findSelectors(expression)[0]).toEqual({
    text: 'a_total{code=~"x|y(b)",n="{z}"}',
    metric: 'a_total',
    labels: ['code', 'n'],
  });
  expect(findGroupingLabels(expression)).toEqual(['le', 'code', 'k', 'm']);
});
