import { buffer } from 'node:stream/consumers';
import { type LocalServer, listenLocally } from '../tools/local-server.ts';

/** A span as a receiver of OTLP sees it. Ids are hexadecimal. */
export interface ReceivedSpan {
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

export interface OtlpReceiver extends LocalServer {
  readonly spans: readonly ReceivedSpan[];
  /** Every byte of every request that arrived: request lines, headers and bodies, as latin1. */
  everything(): string;
}

/** Opens a receiver of traces: OTLP over HTTP, with protobuf. `url` is the value for OTEL_EXPORTER_OTLP_ENDPOINT. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
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
