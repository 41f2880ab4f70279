import { useSignal } from '@preact/signals';
import { Activity, Clock, OctagonAlert, RadioTower, Webhook } from 'lucide';
import { useMemo } from 'preact/hooks';
import { formatDuration } from '../../parts/format.ts';
import { nameTimeZone } from '../../parts/time-zone.ts';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { formatFigure } from './format-figure.ts';
import { readLastHour } from './last-hour.ts';
import { LineTile, Tile } from './tile.tsx';

type Overview = Schemas['Overview'];

/** What flows through the service, now and in the last hour. The lines share one cursor. */
export function Tiles({ history, eventDelay }: Pick<Overview, 'history' | 'eventDelay'>) {
  const { overview } = texts;
  const { tiles, perSecond } = overview;
  const cursor = useSignal<number | null>(null);
  const hour = useMemo(() => readLastHour(history), [history]);
  const { timesMs, refusedPerSecond } = hour;
  const common = { timesMs, cursor };
  return (
    <section class="section" aria-label={overview.lastHour}>
      <ul class="tiles">
        <LineTile
          {...common}
          title={tiles.accepted}
          icon={Webhook}
          tone="normal"
          values={hour.acceptedPerSecond}
          toUnit={() => perSecond}
        />
        <LineTile
          {...common}
          title={tiles.refused}
          icon={OctagonAlert}
          tone="bad"
          values={hour.refusedPercent}
          toUnit={(index) => overview.percentAndRate(formatFigure(refusedPerSecond[index] ?? 0))}
        />
        <LineTile
          {...common}
          title={tiles.published}
          icon={Activity}
          tone="normal"
          values={hour.publishedPerSecond}
          toUnit={() => perSecond}
        />
        <DelayTile eventDelay={eventDelay} />
        <LineTile
          {...common}
          title={tiles.streams}
          icon={RadioTower}
          tone="normal"
          values={hour.streamsOpen}
          toUnit={(index) => overview.plusConsoles(hour.consoleStreams[index] ?? 0)}
        />
      </ul>
      <p class="hint">{overview.timeZone(nameTimeZone())}</p>
    </section>
  );
}

/** It has no line: the service knows the delay of the last minutes only. */
function DelayTile({ eventDelay: { p50Ms, p95Ms, windowSeconds } }: Pick<Overview, 'eventDelay'>) {
  const { overview } = texts;
  const [value = null, ...unit] = p95Ms === null ? [] : formatDuration(p95Ms).split(' ');
  return (
    <Tile
      title={overview.tiles.delay}
      icon={Clock}
      value={value}
      unit={p50Ms === null ? unit.join(' ') : overview.median(formatDuration(p50Ms), unit.join(' '))}
    >
      <p class="tile-note">{overview.delayScope(Math.round(windowSeconds / 60))}</p>
    </Tile>
  );
}
