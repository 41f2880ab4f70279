import type { Metrics } from '../metrics/metrics.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, type PeriodicOptions, type Task } from '../runtime/supervisor.ts';
import { makeScanOutboxes, type ScanOutboxesDeps } from '../usecases/events/scan-outboxes.ts';

export interface OutboxScannerDeps extends ScanOutboxesDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'outboxesOverdue' | 'outboxAgeSeconds'>;
}

const shortestPauseMs = 100;

/**
 * Makes the task that runs the scanner. It scans every `scanAgeMs / 2`. While workers process a backlog of overdue
 * outboxes it scans again after 100 ms, so that a partition gets its next job soon after the last one. The pauses then
 * double until they reach `scanAgeMs / 2` again.
 */
export function createOutboxScannerTask(deps: OutboxScannerDeps): Task {
  const { clock, logger, metrics } = deps;
  const scanOutboxes = makeScanOutboxes(deps);
  const longestPauseMs = Math.max(shortestPauseMs, deps.scanAgeMs / 2);
  let pauseMs = longestPauseMs;
  const options: PeriodicOptions = {
    name: 'outbox-scanner',
    stores: ['documents', 'queue'],
    everyMs: () => pauseMs,
    clock,
    onError: (err) => {
      metrics.outboxAgeSeconds.set(Number.NaN);
      logger.warn({ err }, 'outbox_scanner.failed');
    },
  };
  return createPeriodicTask(options, async (signal) => {
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    const { widgets, hasMore, oldestSince } = await scanOutboxes(signal);
    if (hasMore) pauseMs = shortestPauseMs;
    metrics.outboxesOverdue.inc(widgets);
    if (oldestSince !== undefined) metrics.outboxAgeSeconds.set(toAgeSeconds(clock, oldestSince));
    if (widgets > 0) logger.info({ widgets }, 'outboxes.overdue');
  });
}

/** Null: 0. Not negative: the clock of the process that wrote the time may be ahead. */
function toAgeSeconds(clock: Clock, since: Date | null): number {
  return since === null ? 0 : Math.max(0, clock.now().getTime() - since.getTime()) / 1_000;
}
