import { UnavailableError } from '../domain/errors.ts';
import type { Backend } from '../ports/backend.ts';
import type { Metrics } from './metrics.ts';

type Tail = ReturnType<Backend['eventLog' | 'control']['openTail']>;
type StoreMetrics = Pick<Metrics, 'storeCallSeconds' | 'storeFailures'>;

/**
 * They resolve when a process ends or a reader closes, not when a store has answered. `openTail` only makes a tail,
 * whose reads are measured (`measureTail`).
 */
const unmeasured = new Set(['close', 'consume', 'openTail', 'serve', 'constructor']);
/** The operation of a tail. Its time includes the wait for an entry. */
const tailOperation = 'next';

/**
 * Returns a backend with the same ports, which measures each call of a port's asynchronous methods: its time, and
 * whether it failed. The labels are the names in `Backend` and in the port, for example `widgets` and `list`. The reads
 * of the tails that a port opens are its operation `next`.
 */
export function measureBackend(backend: Backend, metrics: StoreMetrics): Backend {
  const ports = Object.entries(backend).map(([name, value]) => [
    name,
    isPort(value) ? measurePort(name, value, metrics) : value,
  ]);
  // `close` and `removeExpired` may use `this`.
  return Object.assign(Object.create(backend) as Backend, Object.fromEntries(ports));
}

function isPort(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function measurePort(port: string, target: object, metrics: StoreMetrics): object {
  const measured = new Map<PropertyKey, unknown>();
  for (const operation of listMethods(target)) {
    metrics.storeFailures.inc({ port, operation, error: 'unavailable' }, 0);
    metrics.storeFailures.inc({ port, operation, error: 'other' }, 0);
    metrics.storeCallSeconds.labels({ port, operation });
  }
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      const known = measured.get(name);
      if (known !== undefined) return known;
      // Called on the target itself: a proxy has none of its private members.
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      const wrapped = wrapMethod({ port, operation: name }, call, metrics);
      measured.set(name, wrapped);
      return wrapped;
    },
  });
}

function wrapMethod(labels: CallLabels, call: (...args: unknown[]) => unknown, metrics: StoreMetrics) {
  if (labels.operation === 'openTail') return () => measureTail(labels.port, call() as Tail, metrics);
  return unmeasured.has(labels.operation) ? call : measureMethod(labels, call, metrics);
}

/** A read of a closed tail rejects: that is no failure of a store. */
function measureTail(port: string, tail: Tail, metrics: StoreMetrics): object {
  let isClosed = false;
  const next = tail.next.bind(tail) as (...args: unknown[]) => unknown;
  return {
    next: measureMethod({ port, operation: tailOperation }, next, metrics, () => isClosed),
    close: () => {
      isClosed = true;
      return tail.close();
    },
  };
}

/** The methods of an instance of a class, and the function members of a plain object, and `next` of a tail. */
function listMethods(target: object): string[] {
  const prototype = Object.getPrototypeOf(target) as object;
  const owners = prototype === Object.prototype ? [target] : [target, prototype];
  const names = owners.flatMap((owner) =>
    Object.entries(Object.getOwnPropertyDescriptors(owner)).flatMap(([name, { value }]) =>
      typeof value === 'function' ? [name] : [],
    ),
  );
  const measured = names.filter((name) => !unmeasured.has(name));
  return names.includes('openTail') ? [...measured, tailOperation] : measured;
}

interface CallLabels {
  readonly port: string;
  readonly operation: string;
}

function measureMethod(
  labels: CallLabels,
  call: (...args: unknown[]) => unknown,
  { storeCallSeconds, storeFailures }: StoreMetrics,
  isUncounted: () => boolean = () => false,
) {
  const duration = storeCallSeconds.labels(labels);
  const recordFailure = (error: unknown) =>
    storeFailures.inc({ ...labels, error: error instanceof UnavailableError ? 'unavailable' : 'other' });
  return (...args: unknown[]): unknown => {
    const startedAtMs = performance.now();
    const result = call(...args);
    if (!(result instanceof Promise)) return result;
    const recordDuration = () => duration.observe((performance.now() - startedAtMs) / 1_000);
    result.then(recordDuration, (error: unknown) => {
      if (isUncounted()) return;
      recordDuration();
      recordFailure(error);
    });
    return result;
  };
}
