import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Random } from '../engine/random.ts';
import type { Scheduler } from '../engine/scheduler.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Ask, BlockOptions, Link } from '../stores/link.ts';
import type { FaultPlaces, PlannedCall } from './fault-places.ts';
import type { Fault } from './plan.ts';
import type { SimulatedServer } from './simulated-server.ts';

export interface SimulatedLinkOptions {
  readonly scheduler: Scheduler;
  readonly process: SimulatedProcess;
  readonly server: SimulatedServer;
  readonly places: FaultPlaces;
  readonly inflict: (fault: Fault, process: SimulatedProcess) => void;
  readonly trace: (text: string) => void;
  /** Told of messages that are long on their way, when they set out and when they arrive. */
  readonly onLate: (change: 1 | -1) => void;
}

/** How long a message takes, in milliseconds: mostly little, now and then so much that others overtake it by far. */
export function latencyMs(random: Random): number {
  const kind = random.next();
  if (kind < 0.85) return 0.2 + random.next() * 3;
  return kind < 0.98 ? 3 + random.next() * 60 : 60 + random.next() * 1_500;
}

/** The way from one process to one server, with all that can go wrong on it. */
export function createSimulatedLink(options: SimulatedLinkOptions): Link {
  const { process, server, places, inflict, trace } = options;
  const away = (what: string) => new UnavailableError(`${server.name}, ${what}`);

  function call<T>(name: string, deadlineMs: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      process.deliver(() => {
        const planned = places.next(process.name, name);
        for (const fault of planned.before) inflict(fault, process);
        process.deliver(() => {
          trace(`${process.name}: ${name}`);
          const deadline = process.after(deadlineMs, () => {
            trace(`${process.name}: ${name} is given up`);
            reject(away(`${name}: no answer in time`));
          });
          const end = (settle: () => void) => {
            deadline.isCancelled = true;
            for (const fault of planned.after) inflict(fault, process);
            process.deliver(settle);
          };
          work(createAsk(options, name, planned)).then(
            (value) => end(() => resolve(value)),
            (error: unknown) => end(() => reject(error)),
          );
        });
      });
    });
  }

  return { call, block: (name, blockOptions, look) => block(options, name, blockOptions, look) };
}

function createAsk(options: SimulatedLinkOptions, name: string, { fault }: PlannedCall): Ask {
  const { scheduler, process, server, trace, onLate } = options;
  const latency = () => latencyMs(process.random);
  let trips = 0;
  return (onServer) => {
    const fate = fault?.trip === trips ? fault.fate : null;
    trips += 1;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void) => void process.after(latency(), settle);
      const refuse = (why: string) => answer(() => reject(new UnavailableError(`${server.name}, ${name}: ${why}`)));
      const takePlace = (isAgain: boolean) => {
        const outcome = outcomeOf(onServer);
        if (fate === 'twice' && !isAgain) scheduler.after(latency(), () => arrive(true));
        else if (fate === 'answer-lost') refuse('the answer is lost');
        else answer(() => ('value' in outcome ? resolve(outcome.value) : reject(outcome.error)));
      };
      const arrive = (isAgain: boolean) => {
        if (server.state === 'down') refuse('the connection is refused');
        else if (server.state === 'frozen') server.hold(() => arrive(isAgain));
        else if (!server.isCutOff(process.name)) takePlace(isAgain);
      };
      if (fate !== null) trace(`${process.name}: ${name}, round trip ${trips}: ${fate}`);
      if (fate === 'never-arrives') return refuse('the connection is lost');
      const isLate = fate === 'late' && fault !== null;
      if (isLate) onLate(1);
      scheduler.after(isLate ? fault.lateMs : latency(), () => {
        if (isLate) onLate(-1);
        arrive(false);
      });
    });
  };
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

function outcomeOf<T>(onServer: () => T): Outcome<T> {
  try {
    return { value: onServer() };
  } catch (error) {
    return { error };
  }
}

/** The server forgets a held call as soon as its connection is gone; to a process that sleeps it gives nothing. */
function block<T>(
  options: SimulatedLinkOptions,
  name: string,
  { blockMs, deadlineMs, bell, signal }: BlockOptions,
  look: () => T | null,
): Promise<T | null> {
  const { scheduler, process, server, places, inflict, trace } = options;
  return new Promise((resolve, reject) => {
    const planned = places.next(process.name, name);
    let isOver = false;
    const end = (settle: () => void) => {
      isOver = true;
      deadline.isCancelled = true;
      bell.forget(ring);
      server.reset.forget(breakOff);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const answer = (settle: () => void) => void process.after(latencyMs(process.random), settle);
    const breakOff = () => {
      if (!isOver) end(() => answer(() => reject(new UnavailableError(`${server.name}, ${name}: connection lost`))));
    };
    const abort = () => {
      if (!isOver) end(() => resolve(null));
    };
    const give = (value: T | null) => {
      trace(`${process.name}: ${name}${value === null ? ': nothing' : ''}`);
      end(() => {
        if (planned.fault?.fate === 'answer-lost') return void answer(() => reject(new UnavailableError(name)));
        answer(() => {
          for (const fault of planned.after) inflict(fault, process);
          process.deliver(() => resolve(value));
        });
      });
    };
    const tryLook = () => {
      if (isOver || !process.isAwake || server.state !== 'up' || server.isCutOff(process.name)) return;
      const found = look();
      if (found !== null) give(found);
    };
    const ring = () => void scheduler.after(latencyMs(process.random), tryLook);
    const deadline = process.after(deadlineMs, breakOff);
    server.reset.onRing(breakOff);
    signal?.addEventListener('abort', abort);
    scheduler.after(latencyMs(process.random), () => {
      if (isOver) return;
      if (server.state === 'down') return breakOff();
      bell.onRing(ring);
      tryLook();
    });
    scheduler.after(blockMs, () => {
      if (!isOver && server.state === 'up' && !server.isCutOff(process.name) && process.isAwake) give(null);
    });
  });
}
