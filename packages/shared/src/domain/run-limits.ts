export interface RunLimits {
  /** In milliseconds. The run checks its age before its append. If it is older than this, it appends nothing. */
  readonly maxAgeMs: number;
  /**
   * How long the event log keeps a dedupe mark after `EventLog.expireMarks`, in milliseconds. The embedded log keeps
   * the watermarks of widgets for ever.
   */
  readonly markLifetimeMs: number;
}

/**
 * How old a run may be when it appends, and how long the event log keeps a dedupe mark that expires. Marks must live
 * much longer than runs, or an event could be appended twice.
 *
 * A run checks its own age before it appends. If it freezes after that check, the cluster's event log rejects it
 * between one and two times `maxAgeMs` after a higher run arrived. The embedded log rejects no run by its age: there,
 * watermarks never expire.
 *
 * Example: run 41 reads version 4 from an outbox at 12:00, checks its age, and freezes just before its append. Run 42
 * appends version 4 at 12:01, removes it from the outbox, and lets the watermark expire at 13:01. Run 41 can append
 * until 12:21 at the latest, and the watermark skips its version 4. If watermarks expired after five minutes, run 41
 * could append version 4 again at 12:08.
 */
export const runLimits: RunLimits = { maxAgeMs: 10 * 60_000, markLifetimeMs: 3_600_000 };

/** Throws an `Error` unless a dedupe mark lives at least twice as long as a run may be old. */
export function assertRunLimits({ maxAgeMs, markLifetimeMs }: RunLimits): void {
  if (markLifetimeMs >= 2 * maxAgeMs) return;
  throw new Error(
    `run limits: markLifetimeMs is ${markLifetimeMs}, but must be at least twice maxAgeMs (${maxAgeMs}); ` +
      'otherwise an old run can append an event twice',
  );
}

assertRunLimits(runLimits);
