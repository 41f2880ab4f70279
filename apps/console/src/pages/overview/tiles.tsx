import { type Signal, useSignal } from '@preact/signals';
import { Activity, Clock, type IconNode, OctagonAlert, RadioTower, Webhook } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Icon } from '../../parts/button.tsx';
import { formatClock, formatCountOf, formatDuration, formatTime } from '../../parts/format.ts';
import { nameTimeZone } from '../../parts/preferences.ts';
import type { Schemas } from '../../service/service.ts';
import { drawing, drawLines, findNewest, formatFigure, readLastHour, readMost, type Values } from './figures.ts';

type Overview = Schemas['Overview'];

/** What flows through the service, now and in the last hour. The lines share one cursor. */
export function Tiles({ history, eventDelay }: Pick<Overview, 'history' | 'eventDelay'>) {
  const cursor = useSignal<number | null>(null);
  const hour = useMemo(() => readLastHour(history), [history]);
  const countConsoles = (index: number) => {
    const count = hour.consoleStreams[index] ?? 0;
    return count === 0 ? '' : `+ ${formatCountOf(count, 'console')}`;
  };
  const toRefused = (index: number) => `% · ${formatFigure(hour.refusedPerSecond[index] ?? 0)}/s`;
  const common = { timesMs: hour.timesMs, cursor, toUnit: () => '/s' };
  return (
    <section class="section" aria-label="The last hour">
      <ul class="tiles">
        <LineTile {...common} title="Hooks accepted" icon={Webhook} values={hour.acceptedPerSecond} />
        <LineTile
          {...common}
          title="Hooks refused"
          icon={OctagonAlert}
          isBad
          values={hour.refusedPercent}
          toUnit={toRefused}
        />
        <LineTile {...common} title="Events published" icon={Activity} values={hour.publishedPerSecond} />
        <DelayTile eventDelay={eventDelay} />
        <LineTile {...common} title="Open streams" icon={RadioTower} values={hour.streamsOpen} toUnit={countConsoles} />
      </ul>
      <p class="hint">Times are in {nameTimeZone()}.</p>
    </section>
  );
}

/** It has no line: the service knows the delay of the last minutes only. */
function DelayTile({ eventDelay: { p50Ms, p95Ms, windowSeconds } }: Pick<Overview, 'eventDelay'>) {
  const [value = null, ...words] = p95Ms === null ? [] : formatDuration(p95Ms).split(' ');
  const unit = words.join(' ');
  const minutes = Math.round(windowSeconds / 60);
  return (
    <Tile
      title="Hook to stream, p95"
      icon={Clock}
      value={value}
      unit={p50Ms === null ? unit : `${unit} · median ${formatDuration(p50Ms)}`}
    >
      <p class="tile-note">
        From a hook's 202 to its event in the open streams, in the last {formatCountOf(minutes, 'minute')}.
      </p>
    </Tile>
  );
}

interface TileProperties {
  readonly title: string;
  readonly icon: IconNode;
  /** Null: nothing is known. */
  readonly value: string | null;
  /** Beside the value. */
  readonly unit: string;
  /** Shown instead of an unknown value. */
  readonly missing?: string;
  /** Below the value: a line over the last hour, or a sentence. */
  readonly children?: ComponentChildren;
}

/** One figure of the service. */
function Tile({ title, icon, value, unit, missing = 'No data yet', children }: TileProperties) {
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

interface LineTileProperties extends Pick<TileProperties, 'title' | 'icon'> {
  readonly isBad?: boolean;
  readonly timesMs: readonly number[];
  readonly values: Values;
  /** The unit at a point of the line. */
  readonly toUnit: (index: number) => string;
  /** The point that the person looks at, in all tiles. Null: the newest one. */
  readonly cursor: Signal<number | null>;
}

/** A figure with its line over the last hour. Point at the line, or move along it by the arrow keys, to read it. */
function LineTile({ title, icon, isBad = false, timesMs, values, toUnit, cursor }: LineTileProperties) {
  const index = cursor.value ?? findNewest(values);
  const value = values[index] ?? null;
  const most = readMost(values);
  const figure = value === null ? null : formatFigure(value);
  const unit = toUnit(index);
  const timeMs = timesMs[index];
  const missing = most === null ? 'No data yet' : 'No data';
  const shown = figure === null ? missing : `${figure} ${unit}`;
  return (
    <Tile title={title} icon={icon} value={figure} unit={unit} missing={missing}>
      <div class={`tile-line tile-line-${isBad ? 'bad' : 'normal'}`}>
        <Line values={values} cursor={cursor.value} />
        <input
          type="range"
          aria-label={`${title}: The last hour`}
          aria-valuetext={timeMs === undefined ? shown : `${formatTime(timeMs)}: ${shown}`}
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
            {most === null ? null : <span>peak {formatFigure(most)}</span>}
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
