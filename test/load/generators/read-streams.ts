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
  /** The request header `Last-Event-ID`. */
  readonly lastEventId?: string;
}

export interface PublishOptions {
  readonly url: string;
  readonly bodies: readonly string[];
  /** Publishes the next event when all streams have the last one, or keeps this many requests in flight. */
  readonly mode: 'lockstep' | { readonly inFlight: number } | { readonly everyMs: number };
}

interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface PublishResult {
  /** Events on all streams together. */
  readonly delivered: number;
  readonly seconds: number;
  /** From the answer to the publisher until the event is on a stream. Only if `everyMs` is set. */
  readonly latency: Latency | null;
}

export type ReadStreamsCommands = {
  /** Resolves when each stream has received its first bytes. */
  open: [OpenOptions, { readonly seconds: number }];
  publish: [PublishOptions, PublishResult];
  /** Waits until each stream has received `events` events in total. */
  receive: [{ readonly events: number }, { readonly seconds: number }];
  close: [null, null];
};

interface Stream {
  readonly socket: Socket;
  events: number;
  isOpen: boolean;
  /** The end of the last read, which may hold the beginning of a mark. */
  rest: Buffer;
}

const receiveBuffer = Buffer.allocUnsafe(256 * 1024);
let streams: Stream[] = [];
let mark = Buffer.alloc(0);
/** Runs after each read. */
let onProgress: () => void = () => undefined;
let delivered = 0;
/** How many streams have received at least `target` events. */
let target = 0;
let reached = 0;
let onEvents: ((stream: Stream, count: number) => void) | null = null;

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
    onEvents?.(stream, count);
  }
  onProgress();
}

function openOne(url: URL, lastEventId: string | undefined, onOpen: () => void): Stream {
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
  const resume = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`;
  socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: text/event-stream\r\n${resume}\r\n`);
  stream = { socket, events: 0, isOpen: false, rest: Buffer.alloc(0) };
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
  open: async ({ url, count, opening, eventMark, lastEventId }) => {
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
          openOne(address, lastEventId, () => {
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

  publish: async ({ url, bodies, mode }) => {
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
      const received = waitForEvents(eventsBefore + bodies.length);
      let next = 0;
      const postUntilDone = async () => {
        while (next < bodies.length) await post(address, bodies[next++] ?? '');
      };
      await Promise.all(Array.from({ length: mode.inFlight }, postUntilDone));
      await received;
    } else {
      const received = waitForEvents(eventsBefore + bodies.length);
      /** The time of each answer, in the order of the events: one event at a time is under way. */
      const answeredAtMs: number[] = [];
      onEvents = (stream, count) => {
        const nowMs = performance.now();
        for (let index = stream.events - count; index < stream.events; index += 1) {
          const at = answeredAtMs[index - eventsBefore];
          // An event can arrive before the publisher has read its answer.
          histogram.record(Math.max(1, Math.round((nowMs - (at ?? nowMs)) * 1_000)));
        }
      };
      for (const [index, body] of bodies.entries()) {
        const waitMs = startedMs + index * mode.everyMs - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        void post(address, body).then(() => answeredAtMs.push(performance.now()));
      }
      await received;
      onEvents = null;
    }
    const toMs = (percentile: number) => histogram.percentile(percentile) / 1_000;
    return {
      delivered: delivered - deliveredBefore,
      seconds: (performance.now() - startedMs) / 1_000,
      latency: histogram.count === 0 ? null : { p50Ms: toMs(50), p99Ms: toMs(99), maxMs: histogram.max / 1_000 },
    };
  },

  receive: async ({ events }) => {
    const startedMs = performance.now();
    await waitForEvents(events);
    return { seconds: (performance.now() - startedMs) / 1_000 };
  },

  close: async () => {
    const closing = streams;
    streams = [];
    for (const { socket } of closing) socket.destroy();
    return null;
  },
});
