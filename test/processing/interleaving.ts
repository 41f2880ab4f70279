import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { createRandom } from '../simulation/engine/random.ts';

/**
 * Lets the port calls of several runs take place one at a time, in an order that the seed decides, and lets some of
 * them fail: before they take place (the process died), or after (the answer was lost).
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

  async function inTurn<T>(call: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      // After a while of the event loop, so that every run that is ready stands in the line.
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

  /** The port with every method under this rule. */
  function interleaved<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get(target, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => inTurn(() => Reflect.apply(member, target, args) as Promise<unknown>);
      },
    });
  }

  return (backend: Backend): Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'> => ({
    runs: interleaved(backend.runs),
    effects: interleaved(backend.effects),
    ledger: interleaved(backend.ledger),
    outboxes: interleaved(backend.outboxes),
    eventLog: interleaved(backend.eventLog),
  });
}
