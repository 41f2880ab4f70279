import type { Signal } from '@preact/signals';
import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatClock, formatTime } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts/texts.ts';
import { drawing, drawLines, readMost } from './draw-line.ts';
import { formatFigure } from './format-figure.ts';
import { findNewest, type Values } from './last-hour.ts';

interface TileProperties {
  readonly title: string;
  readonly icon: IconNode;
  /** Null: nothing is known. */
  readonly value: string | null;
  /** Beside the value. */
  readonly unit: string;
  /** Said instead of a value that is not known. */
  readonly missing?: string;
  /** Below the value: a line over the last hour, or a sentence. */
  readonly children?: ComponentChildren;
}

/** One figure of the service. */
export function Tile({ title, icon, value, unit, missing = texts.overview.noData, children }: TileProperties) {
  return (
    <li class="tile">
      <h2 class="tile-title">
        <Icon of={icon} /> {title}
      </h2>
      <p class="tile-figure">
        {value === null ? <small>{missing}</small> : <span class="tile-value">{value}</span>}
        {value === null ? null : <small>{unit}</small>}
      </p>
      {children}
    </li>
  );
}

interface LineTileProperties {
  readonly title: string;
  readonly icon: IconNode;
  readonly tone: 'normal' | 'bad';
  readonly timesMs: readonly number[];
  readonly values: Values;
  /** The unit at a point of the line. */
  readonly toUnit: (index: number) => string;
  /** The point that the person looks at, in all tiles. Null: the newest one. */
  readonly cursor: Signal<number | null>;
}

/** A figure with its line over the last hour. Point at the line, or move along it by the arrow keys, to read it. */
export function LineTile({ title, icon, tone, timesMs, values, toUnit, cursor }: LineTileProperties) {
  const { overview } = texts;
  const index = cursor.value ?? findNewest(values);
  const value = values[index] ?? null;
  const most = readMost(values);
  const figure = value === null ? null : formatFigure(value);
  const unit = toUnit(index);
  const timeMs = timesMs[index];
  const missing = most === null ? overview.noData : overview.noDataThen;
  const shown = figure === null ? missing : `${figure} ${unit}`;
  return (
    <Tile title={title} icon={icon} value={figure} unit={unit} missing={missing}>
      <div class={`tile-line tile-line-${tone}`}>
        <Line values={values} cursor={cursor.value} />
        <input
          type="range"
          aria-label={`${title}: ${overview.lastHour}`}
          aria-valuetext={timeMs === undefined ? shown : overview.describePoint(formatTime(timeMs), shown)}
          min={0}
          max={Math.max(0, values.length - 1)}
          value={index}
          onInput={({ currentTarget }) => (cursor.value = currentTarget.valueAsNumber)}
          onPointerMove={({ currentTarget, offsetX }) => {
            const share = Math.min(1, Math.max(0, offsetX / currentTarget.clientWidth));
            cursor.value = Math.round(share * (values.length - 1));
          }}
          onPointerLeave={() => (cursor.value = null)}
          onBlur={() => (cursor.value = null)}
        />
      </div>
      <p class="tile-axis" aria-hidden="true">
        {cursor.value === null || timeMs === undefined ? (
          <>
            <span>{formatClock(timesMs[0] ?? 0)}</span>
            {most === null ? null : <span>{overview.most(formatFigure(most))}</span>}
            <span>{formatClock(timesMs.at(-1) ?? 0)}</span>
          </>
        ) : (
          <strong>{formatTime(timeMs)}</strong>
        )}
      </p>
    </Tile>
  );
}

function Line({ values, cursor }: { readonly values: Values; readonly cursor: number | null }) {
  const { width, height } = drawing;
  const lines = useMemo(() => drawLines(values), [values]);
  const x = cursor === null ? null : (cursor / Math.max(1, values.length - 1)) * width;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {lines.map(({ line, area }) => (
        <g key={line}>
          <path class="tile-area" d={area} />
          <path d={line} />
        </g>
      ))}
      {x === null ? null : <path class="crosshair" d={`M${x} 0V${height}`} />}
    </svg>
  );
}
