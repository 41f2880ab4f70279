import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** The calendar time at the start of every simulation. */
export const calendarStartMs = Date.UTC(2026, 0, 1);

/** The process whose code runs now. Global timers and random numbers act for it. */
export interface Running {
  process: SimulatedProcess | null;
}

export interface Timer {
  isCancelled: boolean;
}

/**
 * A process as others see it: code that runs when a timer or message reaches it. Nothing reaches a killed process.
 * Everything meant for a sleeping process reaches it when it wakes.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly random: Random;
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #running: Running;
  #state: 'awake' | 'asleep' | 'dead' = 'awake';
  #waiting: { readonly timer: Timer; readonly run: () => void }[] = [];

  constructor(
    name: string,
    options: { scheduler: Scheduler; running: Running; random: Random; clockAheadMs?: number },
  ) {
    this.name = name;
    this.random = options.random;
    this.#scheduler = options.scheduler;
    this.#running = options.running;
    this.clock = createClock(this, options.scheduler, options.clockAheadMs ?? 0);
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isAwake(): boolean {
    return this.#state === 'awake';
  }

  /** Runs `run` in this process, after a delay. */
  after(delayMs: number, run: () => void): Timer {
    const timer: Timer = { isCancelled: false };
    this.#scheduler.after(delayMs, () => this.#deliver(timer, run));
    return timer;
  }

  /** Runs `run` in this process now. */
  deliver(run: () => void): void {
    this.#deliver({ isCancelled: false }, run);
  }

  sleep(): void {
    if (this.#state === 'awake') this.#state = 'asleep';
  }

  wake(): void {
    if (this.#state !== 'asleep') return;
    this.#state = 'awake';
    const waiting = this.#waiting;
    this.#waiting = [];
    // One callback each, in the order of arrival.
    for (const { timer, run } of waiting) this.#scheduler.after(0, () => this.#deliver(timer, run));
  }

  kill(): void {
    this.#state = 'dead';
    this.#waiting = [];
  }

  #deliver(timer: Timer, run: () => void): void {
    if (timer.isCancelled || this.#state === 'dead') return;
    if (this.#state === 'asleep') {
      this.#waiting.push({ timer, run });
      return;
    }
    this.#running.process = this;
    run();
  }
}

function createClock(process: SimulatedProcess, scheduler: Scheduler, aheadMs: number): Clock {
  return {
    now: () => new Date(Math.floor(calendarStartMs + scheduler.nowMs + aheadMs)),
    monotonicMs: () => scheduler.nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const end = () => {
          timer.isCancelled = true;
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = process.after(ms, end);
        signal?.addEventListener('abort', end);
      }),
  };
}
