import { writeSync } from 'node:fs';
import process from 'node:process';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { type ArmedFailpoint, failpointFileVariable, reachedMessage, watchFailpoint } from './failpoint.ts';

type Method = (...args: unknown[]) => unknown;

/**
 * Returns the backend with failpoints before, during and after every port call, if `environment` names the file through
 * which tests arm them.
 */
export function wrapBackend(backend: Backend, { [failpointFileVariable]: file }: NodeJS.ProcessEnv): Backend {
  if (file === undefined) return backend;
  const findFailpoint = watchFailpoint(file);
  const wrapped = Object.entries(backend).map(([name, member]) => [
    name,
    typeof member === 'object' ? wrapPort(name, member as object, findFailpoint) : member,
  ]);
  return Object.fromEntries(wrapped) as Backend;
}

function wrapPort(name: string, port: object, findFailpoint: (call: string) => ArmedFailpoint | null): object {
  return new Proxy(port, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (typeof member !== 'function' || typeof key !== 'string') return member;
      return (...args: unknown[]) => {
        const call = () => Reflect.apply(member as Method, target, args);
        const failpoint = findFailpoint(`${name}.${key}`);
        return failpoint === null ? call() : callWithFailpoint(failpoint, call);
      };
    },
  });
}

async function callWithFailpoint(failpoint: ArmedFailpoint, call: () => unknown): Promise<unknown> {
  if (failpoint.when === 'before') killOrFreeze(failpoint);
  const answer = Promise.resolve(call());
  answer.catch(() => undefined);
  if (failpoint.when === 'during') {
    // The request leaves the process in this event-loop turn.
    await yieldToEventLoop();
    killOrFreeze(failpoint);
  }
  const result = await answer;
  if (failpoint.when === 'after') killOrFreeze(failpoint);
  return result;
}

/** Logs the failpoint, then kills or freezes this process. No other code of the process runs in between. */
function killOrFreeze({ id, call, when, act }: ArmedFailpoint): void {
  writeSync(process.stdout.fd, `${JSON.stringify({ msg: reachedMessage, id, call, when })}\n`);
  process.kill(process.pid, act === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  // The signal stops all threads, but this thread may run on for a moment.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
}
