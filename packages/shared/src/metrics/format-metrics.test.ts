import { readFileSync } from 'node:fs';
import { Counter, Gauge, Histogram as PromClientHistogram, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { formatInTurns, formatMetricsTable, formatOpenMetrics, prefersOpenMetrics } from './format-metrics.ts';
import { Histogram } from './histogram.ts';
import { createMetrics } from './metrics.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const labelText = String.raw`(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*`;
const number = String.raw`(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|Nan|[+-]Inf)`;
const exemplar = String.raw` # \{(trace_id="[0-9a-f]{32}")\} (${number}) \d+(?:\.\d+)?`;
const sampleLine = new RegExp(`^([a-zA-Z_:][\\w:]*)(?:\\{(${labelText})\\})? (${number})(?:${exemplar})?$`);
const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

/** Checks the rules of OpenMetrics 1.0 that concern this service. Returns the value of each series. */
function parseOpenMetrics(text: string): Map<string, string> {
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  const series = new Map<string, string>();
  const families = new Set<string>();
  let family = { name: '', type: '' };
  for (const line of text.slice(0, -'# EOF\n'.length).trimEnd().split('\n')) {
    const [, described] = /^# HELP (\S+) (?:[^\\"]|\\[\\"n])*$/.exec(line) ?? [];
    if (described !== undefined) {
      expect(families, 'a family is one block').not.toContain(described);
      families.add(described);
      family = { name: described, type: '' };
      continue;
    }
    if (line.startsWith('# ')) {
      const [, name, type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      expect(name).toBe(family.name);
      family = { name: family.name, type };
      continue;
    }
    const [, name, labels = '', value = '', withTrace, observed] = sampleLine.exec(line) ?? [];
    expect(name, line).toBeDefined();
    expect((suffixes[family.type] ?? []).map((suffix) => family.name + suffix)).toContain(name);
    if (withTrace !== undefined) {
      expect(name).toBe(`${family.name}_bucket`);
      const upperBound = /le="([^"]+)"/.exec(labels)?.[1] ?? '';
      expect(Number(observed)).toBeLessThanOrEqual(Number(upperBound.replace('+Inf', 'Infinity')));
    }
    const key = `${name}{${labels}}`;
    expect(series.has(key), `${key} is there once`).toBe(false);
    series.set(key, value);
  }
  return series;
}

/** Returns the value of each series in Prometheus' own format. */
function parseText(text: string): Map<string, string> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, series = '', value = ''] = /^(.*) (\S+)$/.exec(line) ?? [];
        return [series.includes('{') ? series : `${series}{}`, value];
      }),
  );
}

describe('formatOpenMetrics', () => {
  test('shows the same series as the text format of Prometheus, and changes nothing of that', async () => {
    const { registry, ...metrics } = createMetrics();
    metrics.hooksRefused.inc({ code: 'rate-limited' });
    metrics.streamsOpen.set(7);
    metrics.logEvents.set(Number.NaN);
    metrics.httpSeconds.labels({ method: 'GET', route: '/a', status: '2xx' }).observe(0.3, traceId);
    const own = (series: Map<string, string>) => new Map([...series].filter(([name]) => name.startsWith('widget_')));
    const openMetrics = own(parseOpenMetrics(await formatOpenMetrics(registry)));
    expect(openMetrics.size).toBeGreaterThan(50);
    expect(own(parseText(await registry.metrics()))).toEqual(openMetrics);
    // prom-client would add it to the series of the others.
    const counters = (await registry.getMetricsAsJSON()).filter(({ type }) => String(type) === 'counter');
    for (const { name } of counters) expect(name).toMatch(/_total$/);
  });

  test('formats every kind of metric', async () => {
    const registers = [new Registry()];
    // Without a quote: prom-client does not escape it in a help text, so none of ours may have one.
    const help = 'A text \\\nof two lines.';
    new Counter({ name: 'a_total', help, registers }).inc(3);
    new Gauge({ name: 'g', help, labelNames: ['l'], registers }).set({ l: 'a "b"\\\n' }, Number.POSITIVE_INFINITY);
    new PromClientHistogram({ name: 'theirs', help, buckets: [1], registers }).observe(2);
    const ours = new Histogram('ours', help, [0.1, 1], [], registers);
    ours.labels({}).observe(0.05);
    ours.labels({}).observe(0.5, traceId);
    const text = await formatOpenMetrics(registers[0] as Registry);
    parseOpenMetrics(text);
    expect(text).toContain('# HELP a A text \\\\\\nof two lines.\n# TYPE a counter\na_total 3\n');
    expect(text).toContain('g{l="a \\"b\\"\\\\\\n"} +Inf\n');
    expect(text).toContain('theirs_bucket{le="+Inf"} 1\n');
    expect(text).toMatch(
      new RegExp(`\\nours_bucket\\{le="1"\\} 2 # \\{trace_id="${traceId}"\\} 0\\.5 \\d+\\.?\\d*\\n`),
    );
    expect(text).toContain('\nours_bucket{le="0.1"} 1\n');
  });

  test('keeps the latest exemplar of each bucket, and none in the text format of Prometheus', async () => {
    const registers = [new Registry()];
    const series = new Histogram('h', 'h', [1], [], registers).labels({});
    series.observe(0.4, traceId);
    series.observe(0.6, traceId.replaceAll('4', '5'));
    series.observe(0.7);
    series.observe(9, traceId);
    const text = await formatOpenMetrics(registers[0] as Registry);
    expect([...text.matchAll(/trace_id="(\w+)"\} (\S+)/g)].map(([, id, value]) => [id, value])).toEqual([
      [traceId.replaceAll('4', '5'), '0.6'],
      [traceId, '9'],
    ]);
    expect(await registers[0]?.metrics()).not.toContain('trace_id');
  });
});

describe('prefersOpenMetrics', () => {
  const prometheus =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,' +
    'application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

  test.each([
    [prometheus, true],
    ['application/openmetrics-text', true],
    ['Application/OpenMetrics-Text; Version=1.0.0, text/plain;q=0.5', true],
    ['text/plain;version=0.0.4;q=0.9,application/openmetrics-text;version=1.0.0;q=0.4', false],
    ['application/openmetrics-text;version=0.0.1', false],
    ['application/openmetrics-text;q=0', false],
    ['application/openmetrics-text;q=x', false],
    ['text/plain', false],
    ['*/*', false],
    ['', false],
    [undefined, false],
  ])('for the header %s: %s', (accept, expected) => {
    expect(prefersOpenMetrics(accept)).toBe(expected);
  });
});

/** Registers gauges and formats them. Formatting one of them takes `busyMs`. Returns what happened, in its order. */
async function recordOrder(names: readonly string[], busyMs: number): Promise<string[]> {
  const registry = new Registry();
  for (const name of names) new Gauge({ name, help: name, registers: [registry] });
  const order: string[] = [];
  const texts = await formatInTurns(registry, async ({ name }) => {
    const endMs = performance.now() + busyMs;
    while (performance.now() < endMs);
    order.push(name);
    // Whoever waits for the event loop, such as a hook that has arrived.
    setImmediate(() => order.push('another'));
    return `the text of ${name}`;
  });
  expect(texts).toEqual(names.map((name) => `the text of ${name}`));
  return order;
}

test('after a metric that took long, what waits runs before the next one', async () => {
  expect(await recordOrder(['a', 'b', 'c'], 3)).toEqual(['a', 'another', 'b', 'another', 'c', 'another']);
});

test('a registry without metrics has no texts', async () => {
  expect(await recordOrder([], 0)).toEqual([]);
});

test('docs/metrics.md matches the metrics; if not, run: node scripts/write-metrics-docs.ts', async () => {
  const page = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
  expect(page).toContain(await formatMetricsTable());
});

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
