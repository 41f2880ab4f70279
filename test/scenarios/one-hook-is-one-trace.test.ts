import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { expectNoSecretIn } from '../checkers/no-secret-leaks.ts';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { type Environment, type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { type LocalServer, listenLocally } from '../drivers/tools/local-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function openReceiver(): Promise<OtlpReceiver> {
  const receiver = await openOtlpReceiver();
  cleanups.push(() => receiver.close());
  return receiver;
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-trace-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function startEmbedded(extra: Environment = {}): Promise<ServiceProcess> {
  const service = await startService('api', {
    DATA_DIR: await makeFolder(),
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
    DRAIN_DELAY_MS: '0',
    ...extra,
  });
  cleanups.push(() => service.stop('SIGKILL'));
  return service;
}

interface SentHook {
  readonly eventId: string;
  readonly integrationId: string;
  /** The trace of the sender, and its span. */
  readonly traceId: string;
  readonly senderSpanId: string;
  /** What no span may contain. */
  readonly secrets: readonly string[];
}

/** Posts a hook whose sender traces it, and others that are refused. Waits until a stream has its event. */
async function postTracedHook(url: string): Promise<SentHook> {
  const admin = await signIn(url);
  const [integration, subscription] = await Promise.all([
    admin.createIntegration('factory'),
    admin.createSubscription('screen'),
  ]);
  const widget = (await (await admin.createWidget({ name: 'lamp' })).json()) as { id: string };
  const stream = await openStream(subscription.url);
  await stream.until(() => stream.events.length > 0, 'stream.open');

  const [traceId, senderSpanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const payload = `payload ${randomUUID()}`;
  const post = (address: string, body: object) =>
    fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${senderSpanId}-01`,
        tracestate: 'vendor=state-of-the-sender',
        'user-agent': 'agent-of-the-sender',
      },
      body: JSON.stringify(body),
    });
  const at = { occurredAt: new Date().toISOString() };
  const answer = await post(integration.url, { kind: 'updated', widgetId: widget.id, payload: { payload }, ...at });
  expect(answer.status).toBe(202);
  const eventId = answer.headers.get('webhook-event-id') ?? '';
  await stream.until(() => stream.widgetEvents().some(({ data }) => data.includes(eventId)), 'the event');
  // Clients do not see the trace.
  expect(stream.events.map(({ data }) => data).join('\n')).not.toContain(traceId);
  expect((await post(integration.url, { kind: 'exploded' })).status).toBe(400);
  const wrongToken = integration.token.replace(/.{8}$/, 'AAAAAAAA');
  expect((await post(integration.url.replace(integration.token, wrongToken), {})).status).toBe(400);
  expect((await post(`${url}/api/v1/events/${subscription.token}/more`, {})).status).toBe(404);
  stream.close();
  const { email, password } = testAdmin;
  const session = [admin.cookie.split('=')[1] ?? '', admin.csrfToken];
  const forwarded = ['state-of-the-sender', 'agent-of-the-sender'];
  const tokens = [integration.token, subscription.token, wrongToken];
  const secrets = [...tokens, ...session, email, password, payload, ...forwarded];
  return { eventId, integrationId: integration.id, traceId, senderSpanId, secrets };
}

/** Asserts that times rise. To the millisecond: two processes and two kinds of clocks. */
function expectInOrder(nanos: readonly bigint[]) {
  const times = nanos.map((time) => time / 1_000_000n);
  expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
}

/** Asserts that the spans of the hook are one trace, from the sender's span to the write. */
function expectOneTrace(spans: readonly ReceivedSpan[], hook: SentHook, services: { api: string; worker: string }) {
  const inTrace = spans.filter(({ traceId }) => traceId === hook.traceId);
  const find = (name: string, parentId: string) => {
    const found = inTrace.filter((span) => span.name === name && span.parentId === parentId);
    expect(found, `${name} below ${parentId}`).toHaveLength(1);
    return found[0] as ReceivedSpan;
  };
  const route = 'POST /api/v1/events/hooks/:token';
  const request = inTrace.find((span) => span.attributes['widget.event.id'] === hook.eventId && span.name === route);
  expect(request).toMatchObject({
    service: services.api,
    parentId: hook.senderSpanId,
    attributes: {
      'http.route': '/api/v1/events/hooks/:token',
      'http.response.status_code': 202,
      'widget.integration.id': hook.integrationId,
    },
  });
  const requestId = request?.spanId ?? '';
  const run = find('run', requestId);
  const process = find('process hook', requestId);
  const write = find('write event', process.spanId);
  const ids = { 'widget.event.id': hook.eventId, 'widget.integration.id': hook.integrationId };
  expect(run).toMatchObject({ service: services.worker, attributes: { 'widget.run.outcome': 'published' } });
  expect(run.links).toEqual([hook.traceId + requestId]);
  expect(process).toMatchObject({ service: services.worker, attributes: ids });
  expect(process.links).toEqual([hook.traceId + run.spanId]);
  expect(write).toMatchObject({
    service: services.api,
    attributes: { 'widget.event.id': hook.eventId, 'widget.streams.open': 1 },
  });
  const steps = inTrace.filter(({ parentId }) => parentId === run.spanId).map(({ name }) => name);
  expect(steps).toEqual(
    expect.arrayContaining(['effects.load', 'ledger.register', 'effects.apply', 'eventLog.append']),
  );
  const append = find('eventLog.append', run.spanId);
  const started = [request?.startNanos ?? 0n, run.startNanos, append.startNanos];
  expectInOrder([...started, append.endNanos]);
  // A pod may read and write the event before the answer to the append has reached the worker.
  expectInOrder([...started, write.endNanos]);
  const refused = inTrace.map(({ attributes }) => attributes['widget.problem.code']).filter(Boolean);
  expect(refused).toEqual(expect.arrayContaining(['invalid-request', 'invalid-hook-token']));
}

/** Reads one scrape of Prometheus. */
async function scrape(service: ServiceProcess, accept: string): Promise<string> {
  return (await fetch(`${service.opsUrl}/metrics`, { headers: { accept } })).text();
}

describe('one hook is one trace', () => {
  test('embedded: from the request to the stream, without a secret in any exported byte', async () => {
    const receiver = await openReceiver();
    const service = await startEmbedded({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TRACEPARENT_ENABLED: 'true' });
    const hook = await postTracedHook(service.url);
    const openMetrics = await scrape(service, 'application/openmetrics-text; version=1.0.0');
    const exemplar = `# {trace_id="${hook.traceId}"}`;
    const lines = openMetrics.split('\n').filter((line) => line.includes(exemplar));
    expect(lines.some((line) => line.startsWith('widget_http_request_duration_seconds_bucket'))).toBe(true);
    expect(lines.some((line) => line.startsWith('widget_event_delivery_delay_seconds_bucket'))).toBe(true);
    expect(await scrape(service, 'text/plain')).not.toContain(hook.traceId);
    // A stop exports the spans that wait.
    expect(await service.stop()).toBe(0);
    expectOneTrace(receiver.spans, hook, { api: 'widget-api', worker: 'widget-api' });
    expectNoSecretIn({ 'exported bytes': receiver.everything() }, hook.secrets);
  });

  test('cluster: from the request on one process to the run on another and back', async () => {
    const receiver = await openReceiver();
    const run = await openClusterRun();
    cleanups.push(() => run.dispose());
    const tracing = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      TRACEPARENT_ENABLED: 'true',
      DRAIN_DELAY_MS: '0',
    };
    const [api, worker] = await Promise.all([run.startApi(tracing), run.startWorker(tracing)]);
    const hook = await postTracedHook(api.url);
    await run.waitUntilProcessed();
    expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
    expectOneTrace(receiver.spans, hook, { api: 'widget-api', worker: 'widget-worker' });
    expectNoSecretIn({ 'exported bytes': receiver.everything() }, hook.secrets);
  });

  test('a receiver that does not answer delays neither hooks nor the stop, and is reported', async () => {
    const receiver = await openReceiver();
    await receiver.close();
    const service = await startEmbedded({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER_ARG: '1' });
    await postTracedHook(service.url);
    const stoppedAtMs = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stoppedAtMs).toBeLessThan(10_000);
    expect(service.lines.map(({ msg }) => msg)).toContain('tracing.spans_lost');
  });
});

describe('without an OTLP endpoint', () => {
  // A URL: NODE_OPTIONS would be cut at a space in a path.
  const recorder = new URL('../drivers/cluster/record-modules.ts', import.meta.url).href;

  /** Runs an embedded service that serves a hook. Returns its modules of OpenTelemetry. */
  async function listTracingModules(extra: Environment): Promise<string[]> {
    const file = join(await makeFolder(), 'modules');
    const options = { NODE_OPTIONS: `--import=${recorder}`, RECORDED_MODULES_FILE: file };
    const service = await startEmbedded({ ...options, ...extra });
    await postTracedHook(service.url);
    await service.stop();
    const urls = (await readFile(file, 'utf8')).split('\n');
    expect(urls.some((url) => url.includes('/node_modules/fastify/'))).toBe(true);
    // prom-client itself loads OpenTelemetry's interfaces.
    return urls.filter((url) => url.includes('/@opentelemetry/') && !url.includes('/@opentelemetry/api/'));
  }

  test('loads nothing of OpenTelemetry, except the interfaces that prom-client loads', async () => {
    expect(await listTracingModules({})).toEqual([]);
    const receiver = await openReceiver();
    expect(await listTracingModules({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })).not.toEqual([]);
  });
});

/** A span as a receiver of OTLP sees it. Ids are hexadecimal. */
interface ReceivedSpan {
  /** The resource attribute `service.name`. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the span is the first of its trace. */
  readonly parentId: string;
  readonly name: string;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Each as trace id and span id. */
  readonly links: readonly string[];
}

interface OtlpReceiver extends LocalServer {
  readonly spans: readonly ReceivedSpan[];
  /** Every byte of every request that arrived: request lines, headers and bodies, as latin1. */
  everything(): string;
}

/** Opens a receiver of traces: OTLP over HTTP, with protobuf. `url` is the value for OTEL_EXPORTER_OTLP_ENDPOINT. */
async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const received: string[] = [];
  const server = await listenLocally(async (request, response) => {
    const body = await buffer(request);
    received.push(`${request.method} ${request.url} ${request.rawHeaders.join(' ')} ${body.toString('latin1')}`);
    if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf') {
      response.writeHead(400).end();
      return;
    }
    spans.push(...readSpans(body));
    // An empty ExportTraceServiceResponse: everything was accepted.
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  return { ...server, spans, everything: () => received.join('\n') };
}

// The field numbers are those of opentelemetry/proto/trace/v1/trace.proto.

function readSpans(request: Buffer): ReceivedSpan[] {
  return listMessages(request, 1).flatMap((resourceSpans) => {
    const resource = listMessages(resourceSpans, 1).map((each) => readAttributes(each, 1))[0] ?? {};
    const service = String(resource['service.name']);
    return listMessages(resourceSpans, 2).flatMap((scopeSpans) =>
      listMessages(scopeSpans, 2).map((span) => readSpan(span, service)),
    );
  });
}

function readSpan(span: Buffer, service: string): ReceivedSpan {
  return {
    service,
    traceId: readHex(span, 1),
    spanId: readHex(span, 2),
    parentId: readHex(span, 4),
    name: readText(span, 5),
    startNanos: readNumber(span, 7),
    endNanos: readNumber(span, 8),
    attributes: readAttributes(span, 9),
    links: listMessages(span, 13).map((link) => readHex(link, 1) + readHex(link, 2)),
  };
}

function readAttributes(message: Buffer, field: number): Record<string, string | number> {
  return Object.fromEntries(
    listMessages(message, field).map((pair) => {
      const [value = Buffer.alloc(0)] = listMessages(pair, 2);
      const isText = decodeMessage(value).has(1);
      return [readText(pair, 1), isText ? readText(value, 1) : Number(readNumber(value, 3))];
    }),
  );
}

function listMessages(message: Buffer, field: number): Buffer[] {
  return (decodeMessage(message).get(field) ?? []).filter((value) => typeof value !== 'bigint');
}

function readHex(message: Buffer, field: number): string {
  return listMessages(message, field)[0]?.toString('hex') ?? '';
}

function readText(message: Buffer, field: number): string {
  return listMessages(message, field)[0]?.toString('utf8') ?? '';
}

function readNumber(message: Buffer, field: number): bigint {
  return (decodeMessage(message).get(field) ?? []).find((value) => typeof value === 'bigint') ?? 0n;
}

/** The values of one field of a protobuf message: bytes for texts, bytes and messages, numbers for everything else. */
type FieldValue = Buffer | bigint;

/** Decodes the wire format of one protobuf message into its fields, by number. Throws if the bytes are malformed. */
function decodeMessage(bytes: Buffer): ReadonlyMap<number, readonly FieldValue[]> {
  const fields = new Map<number, FieldValue[]>();
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('the protobuf message is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const [byte = 0] = take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const readValue = (wireType: number): FieldValue => {
    if (wireType === 0) return readVarint();
    if (wireType === 1) return take(8).readBigUInt64LE();
    if (wireType === 2) return take(Number(readVarint()));
    if (wireType === 5) return BigInt(take(4).readUInt32LE());
    throw new Error(`the protobuf message has the unknown wire type ${wireType}`);
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const field = key >> 3;
    fields.set(field, [...(fields.get(field) ?? []), readValue(key & 7)]);
  }
  return fields;
}
