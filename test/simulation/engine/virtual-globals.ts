import type { Running, SimulatedProcess, Timer } from './simulated-process.ts';

/**
 * Has `work` done while timers and randomness, which code asks for by global names, are the simulation's: they belong
 * to the process that runs at that moment. `work` must stay within one turn of the real event loop, so that nobody else
 * in this real process meets them; a `Scheduler` does.
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
  Object.assign(globalThis, virtualTimers(running));
  Math.random = () => processOf(running).random.next();
  Date.now = () => {
    throw new Error('the real clock was asked in a simulation');
  };
  // Failures are everyday life here, and their stacks nobody reads.
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

function virtualTimers(running: Running) {
  const cancel = (timer: Timer | undefined) => {
    if (timer !== undefined) timer.isCancelled = true;
  };
  return {
    setImmediate: (run: () => void) => processOf(running).after(0, run),
    setTimeout: (run: () => void, ms = 0) => processOf(running).after(ms, run),
    clearTimeout: cancel,
    setInterval: (run: () => void, ms: number) => startInterval(processOf(running), run, ms),
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

function processOf({ process }: Running): SimulatedProcess {
  if (process === null) throw new Error('no simulated process runs');
  return process;
}
