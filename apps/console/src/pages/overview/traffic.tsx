import { formatClock, formatCount } from '../../parts/format.ts';
import { texts } from '../../texts/texts.ts';
import { bars, drawBars } from './draw-bars.ts';

interface TrafficProperties {
  /** When the first hour began, RFC 3339. */
  readonly startsAt: string;
  /** Hooks of each hour, the oldest hour first. */
  readonly accepted: readonly number[];
  readonly refused: readonly number[];
}

const hourMs = 3_600_000;

/** A bar for each hour. Its text says when the busiest one was; the columns beside it have the totals. */
export function Traffic({ startsAt, accepted, refused }: TrafficProperties) {
  const { overview } = texts;
  const totals = accepted.map((count, hour) => count + (refused[hour] ?? 0));
  const most = Math.max(...totals);
  const toClock = (hour: number) => formatClock(Date.parse(startsAt) + hour * hourMs);
  const label =
    most === 0 ? overview.noTraffic : overview.describeTraffic(formatCount(most), toClock(totals.indexOf(most)));
  return (
    <svg class="traffic" width={bars.width} height={bars.height} role="img" aria-label={label}>
      <path class="traffic-base" d={`M0 ${bars.height - 0.5}H${bars.width}`} />
      {drawBars(accepted, refused).map((bar, hour) => (
        <g key={bar.x}>
          <title>
            {overview.describeHour(toClock(hour), formatCount(accepted[hour] ?? 0), formatCount(refused[hour] ?? 0))}
          </title>
          <rect class="traffic-space" x={bar.x} width="4" height={bars.height} />
          <rect class="traffic-accepted" x={bar.x} y={bars.height - bar.accepted} width="3" height={bar.accepted} />
          <rect
            class="traffic-refused"
            x={bar.x}
            y={bars.height - bar.accepted - bar.refused}
            width="3"
            height={bar.refused}
          />
        </g>
      ))}
    </svg>
  );
}
