const tickMs = 10;

/** Tells how long this process itself was not running, so that it is not counted against the service. */
export interface OwnDelay {
  /** The part of the time since `sinceMs` (of `performance.now()`) in which nothing here could be run. */
  since(sinceMs: number): number;
  close(): void;
}

/** Watches the event loop: what comes between two ticks beyond the time that is meant to be there is its delay. */
export function watchOwnDelay(): OwnDelay {
  const stalls: { readonly endedAtMs: number; readonly durationMs: number }[] = [];
  let lastTickAtMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const durationMs = nowMs - lastTickAtMs - tickMs;
    if (durationMs > tickMs) stalls.push({ endedAtMs: nowMs, durationMs });
    lastTickAtMs = nowMs;
  }, tickMs);
  return {
    since: (sinceMs) => {
      let delayMs = Math.max(0, performance.now() - Math.max(lastTickAtMs, sinceMs) - tickMs);
      for (let index = stalls.length - 1; index >= 0; index -= 1) {
        const { endedAtMs, durationMs } = stalls[index] ?? { endedAtMs: 0, durationMs: 0 };
        if (endedAtMs <= sinceMs) break;
        delayMs += Math.min(durationMs, endedAtMs - sinceMs);
      }
      return delayMs;
    },
    close: () => clearInterval(timer),
  };
}
