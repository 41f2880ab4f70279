/**
 * A load generator: holds many streams open and counts every event on each of them. It also publishes, so that it can
 * publish the next event as soon as all streams have the last one.
 *
 * It costs less than the server that it measures: all sockets share one receive buffer, and it searches the bytes of
 * each read for the text that only the beginning of an event contains.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { serveCommands } from '../drivers/child.ts';

interface OpenOptions {
  readonly url: string;
  readonly count: number;
  /** How many connections may be opening at once. */
  readonly opening: number;
  /** The text that each event contains once, at or near its beginning. */
  readonly eventMark: string;
}

/** Publishes the next event once all streams have the last, keeps this many requests in flight, or keeps this pace. */
export type PublishMode = 'lockstep' | { readonly inFlight: number } | { readonly everyMs: number };

export interface PublishOptions {
  readonly url: string;
  readonly bodies: readonly string[];
  /** How many of the events each stream gets. Default: all. */
  readonly eventsPerStream?: number;
  readonly mode: PublishMode;
}

/** Milliseconds by percentile, such as `{ '50': 3.1, '99.9': 12.4, '100': 30 }`. */
type LatencyMs = Readonly<Record<string, number>>;

const percentiles = [50, 75, 90, 95, 99, 99.9, 99.99, 100];
/** The latency is measured on every such stream, because parsing events costs far more than counting them. */
const sampleEvery = 50;

interface PublishResult {
  /** Events on all streams together. */
  readonly delivered: number;
  readonly seconds: number;
  /**
   * From the answer to the publisher until the event is on a stream, on every 50th stream. An event that arrives before
   * the answer counts as 0. Only if `everyMs` is set: each body then has another `payload.number`.
   */
  readonly latencyMs: LatencyMs | null;
}

export type ReadStreamsCommands = {
  /** Resolves when each stream has received its first bytes. */
  open: [OpenOptions, { readonly seconds: number }];
  publish: [PublishOptions, PublishResult];
};

interface Stream {
  readonly socket: Socket;
  events: number;
  isOpen: boolean;
  /** The end of the last read, which may hold the beginning of a mark. */
  rest: Buffer;
  /** On a sampled stream: what follows the last number that was read. Null on the others. */
  unparsed: string | null;
}

const receiveBuffer = Buffer.allocUnsafe(256 * 1024);
const streams: Stream[] = [];
let mark = Buffer.alloc(0);
/** Runs after each read. */
let onProgress: () => void = () => undefined;
let delivered = 0;
/** How many streams have received at least `target` events. */
let target = 0;
let reached = 0;
/** Called with the `payload.number` of each event on the sampled streams. */
let onNumber: ((number: number) => void) | null = null;

function countMarks(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) count += 1;
  return count;
}

function onBytes(stream: Stream, bytes: Buffer): void {
  let count = countMarks(bytes);
  // A mark may begin in the last read and end in this one.
  if (stream.rest.length > 0) count += countMarks(Buffer.concat([stream.rest, bytes.subarray(0, mark.length - 1)]));
  stream.rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - mark.length + 1)));
  if (!stream.isOpen) stream.isOpen = true;
  if (count > 0) {
    const before = stream.events;
    stream.events += count;
    delivered += count;
    if (before < target && stream.events >= target) reached += 1;
  }
  if (onNumber !== null && stream.unparsed !== null) {
    const text = stream.unparsed + bytes.toString('latin1');
    let end = 0;
    for (const match of text.matchAll(/"number":(\d+),/g)) {
      onNumber(Number(match[1]));
      end = match.index + match[0].length;
    }
    stream.unparsed = text.slice(Math.max(end, text.length - 100));
  }
  onProgress();
}

function openOne(url: URL, onOpen: () => void): Stream {
  let stream: Stream | undefined;
  const socket = connect({
    host: url.hostname,
    port: Number(url.port),
    onread: {
      buffer: receiveBuffer,
      callback: (length, buffer) => {
        if (stream === undefined) return true;
        const wasOpen = stream.isOpen;
        onBytes(stream, (buffer as Buffer).subarray(0, length));
        if (!wasOpen) onOpen();
        return true;
      },
    },
  });
  socket.on('error', (error) => {
    throw error;
  });
  socket.on('close', () => {
    if (streams.includes(stream as Stream)) throw new Error('the server closed a stream');
  });
  socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: text/event-stream\r\n\r\n`);
  const unparsed = streams.length % sampleEvery === 0 ? '' : null;
  stream = { socket, events: 0, isOpen: false, rest: Buffer.alloc(0), unparsed };
  return stream;
}

function waitForEvents(events: number): Promise<void> {
  target = events;
  reached = streams.filter((stream) => stream.events >= events).length;
  return new Promise((resolve) => {
    onProgress = () => {
      if (reached < streams.length) return;
      onProgress = () => undefined;
      resolve();
    };
    onProgress();
  });
}

const agent = new Agent({ keepAlive: true });

function post(url: URL, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode !== undefined && response.statusCode < 300) resolve();
        else reject(new Error(`the publisher was answered ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

serveCommands<ReadStreamsCommands>({
  open: async ({ url, count, opening, eventMark }) => {
    mark = Buffer.from(eventMark);
    const address = new URL(url);
    const startedMs = performance.now();
    await new Promise<void>((resolve) => {
      let started = 0;
      let open = 0;
      const next = () => {
        if (started === count) return;
        started += 1;
        streams.push(
          openOne(address, () => {
            open += 1;
            if (open === count) resolve();
            else next();
          }),
        );
      };
      for (let index = 0; index < opening; index += 1) next();
    });
    return { seconds: (performance.now() - startedMs) / 1_000 };
  },

  publish: async ({ url, bodies, mode, eventsPerStream = bodies.length }) => {
    const address = new URL(url);
    const startedMs = performance.now();
    const deliveredBefore = delivered;
    const eventsBefore = streams[0]?.events ?? 0;
    const histogram = createHistogram();
    if (mode === 'lockstep') {
      for (const [index, body] of bodies.entries()) {
        const received = waitForEvents(eventsBefore + index + 1);
        await post(address, body);
        await received;
      }
    } else if ('inFlight' in mode) {
      const received = waitForEvents(eventsBefore + eventsPerStream);
      let next = 0;
      const postUntilDone = async () => {
        while (next < bodies.length) await post(address, bodies[next++] ?? '');
      };
      await Promise.all(Array.from({ length: mode.inFlight }, postUntilDone));
      await received;
    } else {
      const received = waitForEvents(eventsBefore + eventsPerStream);
      const answeredAtMs = new Map<number, number>();
      onNumber = (number) => {
        const nowMs = performance.now();
        const latencyMs = nowMs - (answeredAtMs.get(number) ?? nowMs);
        histogram.record(Math.max(1, Math.round(latencyMs * 1_000)));
      };
      for (const [index, body] of bodies.entries()) {
        const waitMs = startedMs + index * mode.everyMs - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        const { payload } = JSON.parse(body) as { payload: { number: number } };
        void post(address, body).then(() => answeredAtMs.set(payload.number, performance.now()));
      }
      await received;
      onNumber = null;
    }
    const latencyMs = Object.fromEntries(percentiles.map((one) => [one, histogram.percentile(one) / 1_000]));
    return {
      delivered: delivered - deliveredBefore,
      seconds: (performance.now() - startedMs) / 1_000,
      latencyMs: histogram.count === 0 ? null : latencyMs,
    };
  },
});
