import type { Running, SimulatedProcess, Timer } from './simulated-process.ts';

/**
 * Runs `work` with virtual global timers and random numbers. They belong to the process whose code runs at that moment.
 * `work` must stay within one turn of the real event loop, as a `Scheduler` does: no other code of this real process
 * may see them.
 */
export async function withVirtualGlobals<T>(running: Running, work: () => Promise<T>): Promise<T> {
  const real = {
    setImmediate: globalThis.setImmediate,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
  };
  const realRandom = Math.random;
  const realNow = Date.now;
  const { stackTraceLimit } = Error;
  Object.assign(globalThis, createVirtualTimers(running));
  Math.random = () => getRunningProcess(running).random.next();
  Date.now = () => {
    throw new Error('The code under simulation read the real clock (Date.now). Use the injected clock.');
  };
  // Errors are frequent here, and nobody reads their stacks.
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    Object.assign(globalThis, real);
    Math.random = realRandom;
    Date.now = realNow;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function createVirtualTimers(running: Running) {
  const cancel = (timer: Timer | undefined) => {
    if (timer !== undefined) timer.isCancelled = true;
  };
  return {
    setImmediate: (run: () => void) => getRunningProcess(running).after(0, run),
    setTimeout: (run: () => void, ms = 0) => getRunningProcess(running).after(ms, run),
    clearTimeout: cancel,
    setInterval: (run: () => void, ms: number) => startInterval(getRunningProcess(running), run, ms),
    clearInterval: cancel,
  };
}

function startInterval(process: SimulatedProcess, run: () => void, ms: number): Timer {
  const interval: Timer = { isCancelled: false };
  const arm = () => {
    process.after(ms, () => {
      if (interval.isCancelled) return;
      run();
      arm();
    });
  };
  arm();
  return interval;
}

function getRunningProcess({ process }: Running): SimulatedProcess {
  if (process === null)
    throw new Error('No simulated process is running: global timers and Math.random have no owner.');
  return process;
}
