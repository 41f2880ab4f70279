import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Random } from '../engine/random.ts';
import type { Scheduler } from '../engine/scheduler.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { BlockOptions, Link, Send } from '../stores/link.ts';
import type { CallFaults, Fault, PlannedFaults } from './plan.ts';
import type { SimulatedServer } from './simulated-server.ts';

export interface SimulatedLinkOptions {
  readonly scheduler: Scheduler;
  readonly process: SimulatedProcess;
  readonly server: SimulatedServer;
  readonly callFaults: CallFaults;
  readonly applyCallFault: (fault: Fault, process: SimulatedProcess) => void;
  readonly trace: (text: string) => void;
  /** Counts delayed messages: 1 when one is sent, -1 when it arrives. */
  readonly onLate: (change: 1 | -1) => void;
}

/** Returns how long a message takes, in milliseconds: mostly little, sometimes so long that many others overtake it. */
export function latencyMs(random: Random): number {
  const kind = random.next();
  if (kind < 0.85) return 0.2 + random.next() * 3;
  return kind < 0.98 ? 3 + random.next() * 60 : 60 + random.next() * 1_500;
}

/** The connection from one process to one server, with all its faults. */
export function createSimulatedLink(options: SimulatedLinkOptions): Link {
  const { process, server, callFaults, applyCallFault, trace } = options;
  const makeError = (what: string) => new UnavailableError(`${server.name}, ${what}`);

  function call<T>(name: string, deadlineMs: number, work: (send: Send) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      process.deliver(() => {
        const planned = callFaults.next(process.name, name);
        for (const fault of planned.before) applyCallFault(fault, process);
        process.deliver(() => {
          trace(`${process.name}: ${name}`);
          const deadline = process.after(deadlineMs, () => {
            trace(`${process.name}: ${name} timed out`);
            reject(makeError(`${name}: no answer in time`));
          });
          const end = (deliverResult: () => void) => {
            deadline.isCancelled = true;
            for (const fault of planned.after) applyCallFault(fault, process);
            process.deliver(deliverResult);
          };
          work(createSend(options, name, planned)).then(
            (value) => end(() => resolve(value)),
            (error: unknown) => end(() => reject(error)),
          );
        });
      });
    });
  }

  return { call, block: (name, blockOptions, poll) => block(options, name, blockOptions, poll) };
}

function createSend(options: SimulatedLinkOptions, name: string, { fault }: PlannedFaults): Send {
  const { scheduler, process, server, trace, onLate } = options;
  const latency = () => latencyMs(process.random);
  let trips = 0;
  return (onServer) => {
    const fate = fault?.trip === trips ? fault.fate : null;
    trips += 1;
    return new Promise((resolve, reject) => {
      const answer = (deliverResult: () => void) => void process.after(latency(), deliverResult);
      const refuse = (why: string) => answer(() => reject(new UnavailableError(`${server.name}, ${name}: ${why}`)));
      const execute = (isRepeat: boolean) => {
        const outcome = captureOutcome(onServer);
        if (fate === 'twice' && !isRepeat) scheduler.after(latency(), () => arrive(true));
        else if (fate === 'answer-lost') refuse('the answer is lost');
        else answer(() => ('value' in outcome ? resolve(outcome.value) : reject(outcome.error)));
      };
      const arrive = (isRepeat: boolean) => {
        if (server.state === 'down') refuse('the connection is refused');
        else if (server.state === 'frozen') server.hold(() => arrive(isRepeat));
        else if (!server.isCutOff(process.name)) execute(isRepeat);
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

function captureOutcome<T>(onServer: () => T): Outcome<T> {
  try {
    return { value: onServer() };
  } catch (error) {
    return { error };
  }
}

/** The server drops a held call when its connection breaks. It gives a sleeping process nothing. */
function block<T>(
  options: SimulatedLinkOptions,
  name: string,
  { blockMs, deadlineMs, notifier, signal }: BlockOptions,
  poll: () => T | null,
): Promise<T | null> {
  const { scheduler, process, server, callFaults, applyCallFault, trace } = options;
  return new Promise((resolve, reject) => {
    const planned = callFaults.next(process.name, name);
    let isDone = false;
    const end = (deliverResult: () => void) => {
      isDone = true;
      deadline.isCancelled = true;
      notifier.unsubscribe(onNotified);
      server.connectionsBroken.unsubscribe(breakConnection);
      signal?.removeEventListener('abort', abort);
      deliverResult();
    };
    const answer = (deliverResult: () => void) => void process.after(latencyMs(process.random), deliverResult);
    const breakConnection = () => {
      if (!isDone) end(() => answer(() => reject(new UnavailableError(`${server.name}, ${name}: connection lost`))));
    };
    const abort = () => {
      if (!isDone) end(() => resolve(null));
    };
    const finish = (value: T | null) => {
      trace(`${process.name}: ${name}${value === null ? ': nothing' : ''}`);
      end(() => {
        if (planned.fault?.fate === 'answer-lost') return void answer(() => reject(new UnavailableError(name)));
        answer(() => {
          for (const fault of planned.after) applyCallFault(fault, process);
          process.deliver(() => resolve(value));
        });
      });
    };
    const tryPoll = () => {
      if (isDone || !process.isAwake || server.state !== 'up' || server.isCutOff(process.name)) return;
      const result = poll();
      if (result !== null) finish(result);
    };
    const onNotified = () => void scheduler.after(latencyMs(process.random), tryPoll);
    const deadline = process.after(deadlineMs, breakConnection);
    server.connectionsBroken.subscribe(breakConnection);
    signal?.addEventListener('abort', abort);
    scheduler.after(latencyMs(process.random), () => {
      if (isDone) return;
      if (server.state === 'down') return breakConnection();
      notifier.subscribe(onNotified);
      tryPoll();
    });
    scheduler.after(blockMs, () => {
      if (!isDone && server.state === 'up' && !server.isCutOff(process.name) && process.isAwake) finish(null);
    });
  });
}
