const tickMs = 10;

/** Records how long the event loop of this test process was blocked, so that tests do not blame the service for it. */
export interface EventLoopDelay {
  /** Returns for how many milliseconds since `sinceMs` (of `performance.now()`) the event loop was blocked. */
  since(sinceMs: number): number;
  close(): void;
}

/** Runs a timer every 10 ms. The time by which it is late is the delay of the event loop. */
export function watchEventLoopDelay(): EventLoopDelay {
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
