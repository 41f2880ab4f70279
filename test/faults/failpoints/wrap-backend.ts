import { writeSync } from 'node:fs';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { type ArmedFailpoint, reachedMessage, watchFailpoint } from './failpoint.ts';

type Method = (...args: unknown[]) => unknown;

/** The backend with a failpoint before, during and after every call of a port; `file` is what they are armed with. */
export function wrapBackend(backend: Backend, file: string): Backend {
  const find = watchFailpoint(file);
  const wrapped = Object.entries(backend).map(([name, member]) => [
    name,
    typeof member === 'object' ? wrapPort(name, member as object, find) : member,
  ]);
  return Object.fromEntries(wrapped) as Backend;
}

function wrapPort(name: string, port: object, find: (call: string) => ArmedFailpoint | null): object {
  return new Proxy(port, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (typeof member !== 'function' || typeof key !== 'string') return member;
      return (...args: unknown[]) => {
        const call = () => Reflect.apply(member as Method, target, args);
        const failpoint = find(`${name}.${key}`);
        return failpoint === null ? call() : callAt(failpoint, call);
      };
    },
  });
}

async function callAt(failpoint: ArmedFailpoint, call: () => unknown): Promise<unknown> {
  if (failpoint.when === 'before') come(failpoint);
  const answer = Promise.resolve(call());
  answer.catch(() => undefined);
  if (failpoint.when === 'during') {
    // A turn of the event loop, in which the request leaves the process.
    await turn();
    come(failpoint);
  }
  const result = await answer;
  if (failpoint.when === 'after') come(failpoint);
  return result;
}

/** Nothing else of this process runs between its being told and its end, or its sleep. */
function come({ id, call, when, act }: ArmedFailpoint): void {
  writeSync(process.stdout.fd, `${JSON.stringify({ msg: reachedMessage, id, call, when })}\n`);
  process.kill(process.pid, act === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  // The signal stops all threads, but not necessarily before this one goes on.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
}
