import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { createRandom } from '../simulation/engine/random.ts';
import type { RunPorts } from './drive-runs.ts';

/**
 * Makes several runs interleave: their port calls run one at a time, in an order that `seed` decides. A share of
 * `failureRate` of the calls fails before it runs (the process died), and the same share afterwards (the answer was
 * lost).
 */
export function createInterleaving(seed: number, failureRate: number) {
  const random = createRandom(seed).next;
  const waiting: (() => void)[] = [];
  let isBusy = false;

  function releaseOne(): void {
    if (isBusy) return;
    const [next] = waiting.splice(Math.floor(random() * waiting.length), 1);
    if (next === undefined) return;
    isBusy = true;
    next();
  }

  async function callInOrder<T>(call: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      // Chooses in the next event-loop turn, when every run that is ready has added its call.
      setImmediate(releaseOne);
    });
    try {
      if (random() < failureRate) throw new UnavailableError('died before the call');
      const result = await call();
      if (random() < failureRate) throw new UnavailableError('died after the call');
      return result;
    } finally {
      isBusy = false;
      setImmediate(releaseOne);
    }
  }

  /** Wraps every method of the port. */
  function interleave<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get(target, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => callInOrder(() => Reflect.apply(member, target, args) as Promise<unknown>);
      },
    });
  }

  return (backend: Backend): RunPorts => ({
    runs: interleave(backend.runs),
    effects: interleave(backend.effects),
    ledger: interleave(backend.ledger),
    outboxes: interleave(backend.outboxes),
    eventLog: interleave(backend.eventLog),
  });
}
