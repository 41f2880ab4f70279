import { UnavailableError } from '../domain/errors.ts';
import type { Backend } from '../ports/backend.ts';
import type { Tracer } from './tracer.ts';

/** The ports that a run calls. */
type RunPorts = Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>;

/**
 * Returns ports whose calls are spans, if they happen within a traced run: for example `eventLog.append`. Other calls
 * are not traced. If tracing is off, returns the given ports.
 */
export function traceRunPorts(ports: RunPorts, tracer: Tracer): RunPorts {
  if (!tracer.isEnabled) return ports;
  const { runs, effects, ledger, outboxes, eventLog } = ports;
  return {
    runs: tracePort('runs', runs, tracer),
    effects: tracePort('effects', effects, tracer),
    ledger: tracePort('ledger', ledger, tracer),
    outboxes: tracePort('outboxes', outboxes, tracer),
    eventLog: tracePort('eventLog', eventLog, tracer),
  };
}

function tracePort<Port extends object>(port: string, target: Port, tracer: Tracer): Port {
  return new Proxy(target, {
    get(_, operation) {
      const value = Reflect.get(target, operation, target) as unknown;
      if (typeof value !== 'function' || typeof operation !== 'string') return value;
      // Called on the target itself: a proxy has none of its private members.
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => traceCall(tracer, `${port}.${operation}`, () => call(...args));
    },
  });
}

function traceCall(tracer: Tracer, name: string, call: () => unknown): unknown {
  const span = tracer.startStep(name);
  if (span === null) return call();
  const result = call();
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  result.then(
    () => span.end(),
    (error: unknown) => span.end({ errorType: error instanceof UnavailableError ? 'unavailable' : 'other' }),
  );
  return result;
}
