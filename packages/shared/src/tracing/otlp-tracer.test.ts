import { expect, onTestFinished, test } from 'vitest';
import { readTraceId } from '../domain/trace-context.ts';
import { openTracer } from './open-tracer.ts';
import { noTracer, type Tracer, type TracingSettings } from './tracer.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const header = (flags: string) => `00-${traceId}-00f067aa0ba902b7-${flags}`;

/** Nothing listens on port 9 of this machine: the spans are lost. */
async function open(ratio: number, more: Partial<TracingSettings> = {}): Promise<Tracer> {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_HEADERS: null,
    OTEL_TRACES_SAMPLER_ARG: ratio,
    TRACEPARENT_ENABLED: true,
    ...more,
  };
  const tracer = await openTracer(settings, 'test', () => undefined);
  onTestFinished(() => tracer.close());
  return tracer;
}

test('follows the decision of the sender, whatever the ratio', async () => {
  const [never, always] = [await open(0), await open(1)];
  expect(readTraceId(never.startRequest(header('01'))?.context ?? '')).toBe(traceId);
  expect(always.startRequest(header('00'))).toBeNull();
});

test('ignores the sender if it is told to: the ratio decides, and the trace is a new one', async () => {
  const ignores = { TRACEPARENT_ENABLED: false };
  const [never, always] = [await open(0, ignores), await open(1, ignores)];
  expect(never.startRequest(header('01'))).toBeNull();
  const span = always.startRequest(header('00'));
  expect(span).not.toBeNull();
  expect(readTraceId(span?.context ?? '')).not.toBe(traceId);
});

test('samples the ratio of the requests without a valid traceparent header', async () => {
  const [never, always, half] = [await open(0), await open(1), await open(0.5)];
  for (const traceparent of [undefined, '', 'nonsense']) {
    expect(never.startRequest(traceparent)).toBeNull();
    expect(always.startRequest(traceparent)).not.toBeNull();
  }
  const sampled = Array.from({ length: 2_000 }, () => half.startRequest(undefined)).filter((span) => span !== null);
  // Fewer than 800 or more than 1 200 of 2 000 happen once in 10^18 times.
  expect(sampled.length).toBeGreaterThan(800);
  expect(sampled.length).toBeLessThan(1_200);
  expect(new Set(sampled.map(({ context }) => context)).size).toBe(sampled.length);
});

test('starts steps within a run only, below its span, also after an await', async () => {
  const tracer = await open(1);
  const span = tracer.startRequest(header('01'));
  expect(tracer.startStep('outside')).toBeNull();
  await tracer.runWithin(span, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expect(readTraceId(tracer.startStep('inside')?.context ?? '')).toBe(traceId);
  });
  expect(tracer.startStep('outside')).toBeNull();
});

test('is the tracer without spans if there is no endpoint', async () => {
  const tracer = await open(1, { OTEL_EXPORTER_OTLP_ENDPOINT: null });
  expect(tracer).toBe(noTracer);
  expect(tracer.startRequest(header('01'))).toBeNull();
  expect(await tracer.runWithin(null, async () => 'result')).toBe('result');
});
