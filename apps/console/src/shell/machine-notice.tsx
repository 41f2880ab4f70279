import { formatDuration } from '../parts/format.ts';
import { unknownTimeZone } from '../parts/time-zone.ts';
import { clockErrorMs } from '../service/service-clock.ts';
import { texts } from '../texts/texts.ts';

/** An error of the clock of less than half of it is corrected without a word. */
const minuteMs = 60_000;

/** What is wrong with the clock or the time zone of this machine, and what the page does about it. */
export function MachineNotice() {
  const { general } = texts;
  const errorMs = clockErrorMs.value;
  const errorMinutes = Math.round(Math.abs(errorMs) / minuteMs);
  const lines = [
    errorMinutes === 0 ? [] : general.wrongClock(formatDuration(errorMinutes * minuteMs), errorMs > 0),
    unknownTimeZone === null ? [] : general.unknownTimeZone(unknownTimeZone),
  ].flat();
  return (
    <div role="status">
      {lines.map((line) => (
        <p key={line} class="notice notice-warning">
          {line}
        </p>
      ))}
    </div>
  );
}
