import { Histogram as PromClientHistogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Histogram } from './histogram.ts';

const options = { name: 'h', help: 'A histogram.', buckets: [0.1, 1, 2.5] };

test('exposes the same text as a histogram of prom-client', async () => {
  const ours = new Registry();
  const theirs = new Registry();
  const labelNames = ['route', 'status'] as const;
  const histogram = new Histogram('h', options.help, options.buckets, labelNames, [ours]);
  const reference = new PromClientHistogram({ ...options, labelNames: [...labelNames], registers: [theirs] });
  histogram.labels({ route: '/unused', status: 200 });
  reference.zero({ route: '/unused', status: 200 });
  for (const value of [0, 0.1, 0.100001, 1, 2.4, 2.5, 7, 1e9]) {
    for (const labels of [
      { route: '/a', status: 200 },
      { route: 'a "quoted" one\n', status: '5xx' },
    ]) {
      histogram.labels(labels).observe(value);
      reference.observe(labels, value);
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('exposes a histogram without labels at 0 from the start', async () => {
  const registry = new Registry();
  const histogram = new Histogram('h', options.help, options.buckets, [], [registry]);
  expect(await registry.metrics()).toContain('\nh_count 0\n');
  histogram.labels({}).observe(3);
  expect(await registry.metrics()).toContain('h_bucket{le="2.5"} 0\nh_bucket{le="+Inf"} 1\nh_sum 3\nh_count 1\n');
});

test('keeps series apart whose label values would read the same if joined', () => {
  const histogram = new Histogram('h', options.help, options.buckets, ['a', 'b'], []);
  expect(histogram.labels({ a: 'x,y', b: 'z' })).not.toBe(histogram.labels({ a: 'x', b: 'y,z' }));
  expect(histogram.labels({ a: '1', b: 'z' })).toBe(histogram.labels({ a: 1, b: 'z' }));
});
