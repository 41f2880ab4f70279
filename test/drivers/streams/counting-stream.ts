import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** A client that only counts events. Tests with hundreds or thousands of clients cannot keep all events in memory. */
export interface CountingStream {
  /** How many events of widgets it has received. */
  readonly events: number;
  /** The seq of the newest event; 0 before the first. */
  readonly lastSeq: number;
  /** True if the number of events equals the number of seqs from the first to the last. */
  readonly isDense: boolean;
  /** True after a `stream.gap`. */
  readonly hasGap: boolean;
  /** True after the stream has ended. */
  readonly hasEnded: boolean;
  close(): void;
}

/** Opens a stream and counts its events. Resolves when the headers arrive. Rejects unless the status is 200. */
export function openCountingStream(url: string, lastEventId?: string): Promise<CountingStream> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(count(request, response));
      else
        void text(response).then((body) => reject(new Error(`a stream was answered ${response.statusCode}: ${body}`)));
    });
    request.once('error', reject);
  });
}

/** In a frame, the seq comes directly before this text. */
const eventMark = Buffer.from('\nevent: widget.');
const gapMark = Buffer.from('\nevent: stream.gap');
const numberBefore = /\.(\d+)$/;

function count(request: ClientRequest, response: IncomingMessage): CountingStream {
  const state = { events: 0, firstSeq: 0, lastSeq: 0, hasGap: false, hasEnded: false };
  let rest: Buffer = Buffer.alloc(0);
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  response.once('close', () => {
    state.hasEnded = true;
  });
  const seqAt = (bytes: Buffer, at: number) =>
    Number(numberBefore.exec(bytes.toString('latin1', Math.max(0, at - 40), at))?.[1]);
  response.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf('\n\n');
    rest = bytes.subarray(end === -1 ? 0 : end + 1);
    if (end === -1) return;
    const whole = bytes.subarray(0, end);
    state.hasGap ||= whole.includes(gapMark);
    let last = -1;
    for (let at = whole.indexOf(eventMark); at !== -1; at = whole.indexOf(eventMark, at + eventMark.length)) {
      if (state.firstSeq === 0) state.firstSeq = seqAt(whole, at);
      state.events += 1;
      last = at;
    }
    if (last !== -1) state.lastSeq = seqAt(whole, last);
  });
  return {
    get events() {
      return state.events;
    },
    get lastSeq() {
      return state.lastSeq;
    },
    get isDense() {
      return state.events === 0 || state.lastSeq - state.firstSeq + 1 === state.events;
    },
    get hasGap() {
      return state.hasGap;
    },
    get hasEnded() {
      return state.hasEnded;
    },
    close: () => request.destroy(),
  };
}
