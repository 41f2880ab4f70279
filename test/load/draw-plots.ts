/**
 * `npm run bench:plots -- FILE`: draws the plots of README.md from the JSON lines in FILE, which `BENCH_OUTPUT=FILE npm
 * run bench -- all` writes. If a figure was measured more than once, the last one counts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { drawLineChart, type LineChart, type Series } from './plots/line-chart.ts';

type Line = Readonly<Record<string, string | number | null>>;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: npm run bench:plots -- FILE');
const lines = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Line);

/** Groups the lines of a figure by `seriesKey`: one series per value, with one point per line. */
function toSeries(figure: string, seriesKey: string, x: string, y: string): Series[] {
  const bySeries = Map.groupBy(
    lines.filter((line) => line.figure === figure && typeof line[y] === 'number'),
    (line) => String(line[seriesKey]),
  );
  return [...bySeries].map(([name, ofSeries]) => {
    const yByX = new Map(ofSeries.map((line) => [Number(line[x]), Number(line[y])]));
    return { name, points: [...yByX].map(([atX, atY]) => ({ x: atX, y: atY })) };
  });
}

function toTicks(series: readonly Series[]): LineChart['xTicks'] {
  const xs = new Set(series.flatMap(({ points }) => points.map(({ x }) => x)));
  return [...xs].sort((a, b) => a - b).map((x) => ({ x, label: x.toLocaleString('en').replaceAll(',', ' ') }));
}

/** Percentiles on the axis of an HDR histogram: each further 9 takes as much room as the one before. */
function toHdrX(percentile: number): number {
  return 100 / Math.max(0.005, 100 - percentile);
}

const hdrPercentiles = [50, 75, 90, 95, 99, 99.9, 99.99];

function latencyChart(): LineChart {
  const series = toSeries('hook to stream', 'backend', 'percentile', 'ms').map(({ name, points }) => ({
    name,
    points: points.filter(({ x }) => hdrPercentiles.includes(x)).map(({ x, y }) => ({ x: toHdrX(x), y })),
  }));
  return {
    title: 'From the 202 to the frame, by percentile',
    xLabel: 'percentile',
    yLabel: 'ms',
    series,
    xTicks: hdrPercentiles.map((percentile) => ({ x: toHdrX(percentile), label: String(percentile) })),
  };
}

function connectionsChart(): LineChart {
  const service = toSeries('hooks accepted', 'backend', 'connections', 'hooksPerSecond');
  const bare = toSeries('hooks accepted', 'figure', 'connections', 'bareHooksPerSecond');
  const series = [...service, ...bare.map(({ points }) => ({ name: 'bare 202', points }))];
  return {
    title: 'Hooks accepted, by connections',
    xLabel: 'connections',
    yLabel: 'hooks per second',
    series,
    xTicks: toTicks(series),
  };
}

function subscribersChart(): LineChart {
  const series = toSeries('fan-out, bursts', 'server', 'subscribers', 'microsPerDelivery');
  return {
    title: 'Processor time per event and stream, 16 hooks in flight',
    xLabel: 'streams',
    yLabel: 'µs of the api process',
    series,
    xTicks: toTicks(series),
  };
}

function widgetsChart(): LineChart {
  const series = toSeries('hooks carried', 'backend', 'widgets', 'workerMicrosPerHook');
  return {
    title: 'Processor time per hook carried, by widgets',
    xLabel: 'widgets',
    yLabel: 'µs of the worker process',
    series,
    xTicks: toTicks(series),
  };
}

const charts = {
  latency: latencyChart(),
  connections: connectionsChart(),
  subscribers: subscribersChart(),
  widgets: widgetsChart(),
};
for (const [name, chart] of Object.entries(charts)) {
  if (chart.series.length === 0) console.error(`${name}: ${file} holds no such figure`);
  else writeFileSync(new URL(`plots/${name}.svg`, import.meta.url), drawLineChart(chart));
}
