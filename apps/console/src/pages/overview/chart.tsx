import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatClock, formatCount } from '../../parts/format.ts';
import { theme } from '../../shell/theme.ts';
import { texts } from '../../texts/texts.ts';

interface ChartProperties {
  readonly name: string;
  /** Unix times in seconds. */
  readonly times: readonly number[];
  /** One for each time. Null: unknown, so the line has a hole. */
  readonly values: readonly (number | null)[];
}

const height = 140;

/** A line over the last hour. Its text says the newest and the highest value. */
export function Chart({ name, times, values }: ChartProperties) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { overview } = texts;
  const known = values.filter((value) => value !== null);
  const show = (value: number | undefined) => (value === undefined ? overview.unknown : formatValue(value));
  const now = show(known.at(-1));

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    // A canvas knows no CSS variables: their values are read when the colours change.
    const probe = resolveColors(element);
    const drawn = new uPlot(describePlot(element.clientWidth, probe), [[], []], element);
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [theme.value]);
  useEffect(() => {
    plot.current?.setData([[...times], [...values]]);
  }, [times, values, theme.value]);

  return (
    <figure class="chart">
      <figcaption>
        {name} <strong>{overview.now(now)}</strong>
      </figcaption>
      <div
        ref={box}
        role="img"
        aria-label={overview.describeChart(name, now, show(known.length === 0 ? undefined : Math.max(...known)))}
      />
    </figure>
  );
}

function formatValue(value: number): string {
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : formatCount(Math.round(value));
}

interface PlotColors {
  readonly line: string;
  readonly text: string;
  readonly grid: string;
}

/** The colours as the browser computes them, because `light-dark()` means nothing to a canvas. */
function resolveColors(element: HTMLElement): PlotColors {
  const compute = (name: string) => {
    element.style.color = `var(${name})`;
    return getComputedStyle(element).color;
  };
  const colors = { line: compute('--accent'), text: compute('--text-muted'), grid: compute('--line') };
  element.style.color = '';
  return colors;
}

function describePlot(width: number, { line, text, grid }: PlotColors): uPlot.Options {
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] } },
    axes: [
      { ...axis, values: (_plot, splits) => splits.map((seconds) => formatClock(seconds * 1_000)) },
      { ...axis, size: 48 },
    ],
    series: [{}, { stroke: line, width: 2, spanGaps: false }],
  };
}
