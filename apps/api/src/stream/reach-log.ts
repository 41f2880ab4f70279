import { continues, isSamePosition, type LogPosition, positionBefore } from '@widget-service/shared/domain/cursor.ts';
import type { EventLog, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { RunRegister } from '@widget-service/shared/ports/run-register.ts';
import { type Frame, frameOf } from './frame.ts';
import type { ReadPage } from './read-page.ts';
import type { Ring, RingLimits } from './ring.ts';

export interface ReachLogDeps {
  readonly eventLog: Pick<EventLog, 'inspect' | 'append' | 'readUpTo'>;
  readonly runs: Pick<RunRegister, 'next'>;
  readonly readPage: ReadPage;
  readonly ring: Ring;
}

/**
 * Puts the ring at the log's end, filled with the newest events: after a rolling restart every client comes back to a
 * pod that has just started, and each of them would read the log for itself. Throws `UnavailableError`.
 */
export async function reachLog({ eventLog, runs, readPage, ring }: ReachLogDeps): Promise<void> {
  const end = await findEnd({ eventLog, runs });
  const newest = await readNewest({ eventLog, readPage }, end, ring.limits);
  const [first] = newest;
  ring.reset(first === undefined ? end : positionBefore({ epoch: end.epoch, ...first }));
  for (const frame of newest) ring.push(frame);
}

/** A log that was never written to, or was wiped, is begun here, so that streams can open on it. */
async function findEnd({ eventLog, runs }: Pick<ReachLogDeps, 'eventLog' | 'runs'>): Promise<LogPosition> {
  const known = await eventLog.inspect(null);
  if (known !== null) return known.extent.last;
  const { run, lastPosition } = await runs.next();
  const { last } = await eventLog.append(run, lastPosition, []);
  return { epoch: last.epoch, ms: last.ms, seq: last.seq };
}

/** As many frames up to `end` as a ring holds and the log still has without a hole, oldest first. */
async function readNewest(
  { eventLog, readPage }: Pick<ReachLogDeps, 'eventLog' | 'readPage'>,
  end: LogPosition,
  limits: RingLimits,
): Promise<Frame[]> {
  const newestFirst: Frame[] = [];
  let bytes = 0;
  let next = end;
  let newer: LogRecord | null = null;
  while (newestFirst.length < limits.frames && bytes < limits.bytes) {
    const wanted = limits.frames - newestFirst.length;
    const page = await readPage((limit) => eventLog.readUpTo(next, Math.min(limit, wanted)));
    if (page.length === 0) break;
    for (const record of page.reverse()) {
      // Trimmed, or begun anew meanwhile: what was read up to here is still the end of what it was.
      const fits = newer === null ? isSamePosition(record, end) : continues(record, [newer]);
      if (!fits) return newestFirst.reverse();
      const frame = frameOf(record);
      newestFirst.push(frame);
      bytes += frame.bytes.length;
      newer = record;
      next = positionBefore(record);
    }
  }
  return newestFirst.reverse();
}
