import { NotReplicatedError, UnavailableError, UnreadableRowError } from '../domain/errors.ts';
import type { Backend } from '../ports/backend.ts';
import type { HistogramSeries } from './histogram.ts';
import type { Metrics } from './metrics.ts';

type Tail = ReturnType<Backend['eventLog' | 'control']['openTail']>;
type StoreMetrics = Pick<Metrics, 'storeCallSeconds' | 'storeFailures' | 'rowsUnreadable'>;

/**
 * They resolve when a process ends or a reader closes, not when a store has answered. `openTail` only makes a tail,
 * whose reads are measured (`makeMeasureTail`).
 */
const unmeasured = new Set(['close', 'consume', 'openTail']);
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
    typeof value === 'object' && value !== null ? measurePort(name, value, metrics) : value,
  ]);
  // `close` and `removeExpired` may use `this`.
  return Object.assign(Object.create(backend) as Backend, Object.fromEntries(ports));
}

/** A port with the methods of `target`, each wrapped once. What is no function is returned as `target` has it. */
function measurePort(port: string, target: object, metrics: StoreMetrics): object {
  const calls = new Map<unknown, Call>();
  return new Proxy(target, {
    get: (_target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      // Called on the target itself: no other object has its private members.
      const call =
        calls.get(name) ?? measureCall({ port, operation: String(name) }, value.bind(target) as Call, metrics);
      calls.set(name, call);
      return call;
    },
  });
}

type Call = (...args: unknown[]) => unknown;

function measureCall(labels: CallLabels, call: Call, metrics: StoreMetrics): Call {
  if (labels.operation === 'openTail') return makeMeasureTail(labels.port, call as () => Tail, metrics);
  return unmeasured.has(labels.operation) ? call : makeMeasure(labels, metrics)(call);
}

function makeMeasureTail(port: string, openTail: () => Tail, metrics: StoreMetrics): () => object {
  const measureNext = makeMeasure({ port, operation: tailOperation }, metrics);
  return () => {
    const tail = openTail();
    let isClosed = false;
    return {
      // A read of a closed tail rejects: that is no failure of a store.
      next: measureNext(tail.next.bind(tail) as Call, () => isClosed),
      close: () => {
        isClosed = true;
        return tail.close();
      },
    };
  };
}

interface CallLabels {
  readonly port: string;
  readonly operation: string;
}

/**
 * Makes the function that measures the calls of an operation. Its series begin at 0 with its first call: a process uses
 * few of the operations that its ports have, and every series costs each scrape.
 */
function makeMeasure(labels: CallLabels, { storeCallSeconds, storeFailures, rowsUnreadable }: StoreMetrics) {
  let series: HistogramSeries | null = null;
  const createSeries = () => {
    for (const error of ['unavailable', 'other']) storeFailures.inc({ ...labels, error }, 0);
    rowsUnreadable.inc({ port: labels.port }, 0);
    series = storeCallSeconds.labels(labels);
    return series;
  };
  return (call: Call, isUncounted: () => boolean = () => false): Call =>
    (...args) => {
      const startedAtMs = performance.now();
      const result = call(...args);
      if (!(result instanceof Promise)) return result;
      const duration = series ?? createSeries();
      const recordDuration = () => duration.observe((performance.now() - startedAtMs) / 1_000);
      const recordResult = (value: unknown) => {
        recordDuration();
        // In a list, null stands for a damaged row (`ListedRow`).
        const unreadable = Array.isArray(value) ? value.filter((row) => row === null).length : 0;
        if (unreadable > 0) rowsUnreadable.inc({ port: labels.port }, unreadable);
      };
      result.then(recordResult, (error: unknown) => {
        if (isUncounted()) return;
        recordDuration();
        if (error instanceof UnreadableRowError) rowsUnreadable.inc({ port: labels.port });
        const port = (error instanceof UnavailableError && error.failedPort) || labels.port;
        storeFailures.inc({ ...labels, port, error: classify(error) });
      });
      return result;
    };
}

function classify(error: unknown): string {
  if (error instanceof NotReplicatedError) return 'not-replicated';
  return error instanceof UnavailableError ? 'unavailable' : 'other';
}
