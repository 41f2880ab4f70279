const ticksAfterwards = 5;

/**
 * Runs `work` and returns the longest time, in milliseconds, for which the event loop of this thread was blocked by
 * computing. It counts the thread's processor time between two turns: a machine that is busy with other processes does
 * not lengthen it.
 */
export async function measureLongestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let isRunning = true;
  let lastMs = readThreadMs();
  const tick = () => {
    const nowMs = readThreadMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  // What the work has started, such as a log line, may end a little later.
  for (let count = 0; count < ticksAfterwards; count += 1) await new Promise((resolve) => setImmediate(resolve));
  isRunning = false;
  return longestMs;
}

/** The shortest of a few measures, or the first within the bound: a garbage collection may hit one, not all of them. */
export async function measureBlockedMs(work: () => Promise<unknown>, boundMs: number): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && shortestMs > boundMs; attempt += 1) {
    shortestMs = Math.min(shortestMs, await measureLongestTurnMs(work));
  }
  return shortestMs;
}

/** The processor time of this thread so far, without other threads, in milliseconds. */
export function readThreadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
