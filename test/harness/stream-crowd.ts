import { type ClientRequest, get, type IncomingMessage } from 'node:http';

/** One of many clients that only count: what they were sent is too much to be kept. */
export interface CountingStream {
  /** Events of widgets so far. */
  readonly events: number;
  /** The number of the newest event's position; 0 before the first. */
  readonly lastSeq: number;
  /** Whether each event's number was one above the one before. */
  readonly isDense: boolean;
  /** Whether it was told of a gap. */
  readonly hasGap: boolean;
  /** Whether the server has ended it. */
  readonly hasEnded: boolean;
  close(): void;
}

/** Opens a stream and counts what comes; resolves with the answer's headers. Rejects unless they say 200. */
export function openCountingStream(url: string, lastEventId?: string): Promise<CountingStream> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(count(request, response));
      else reject(new Error(`a stream was answered ${response.statusCode}`));
    });
    request.once('error', reject);
  });
}

function count(request: ClientRequest, response: IncomingMessage): CountingStream {
  const state = { events: 0, lastSeq: 0, isDense: true, hasGap: false, hasEnded: false };
  let rest = '';
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  response.once('close', () => {
    state.hasEnded = true;
  });
  response.setEncoding('latin1');
  response.on('data', (text: string) => {
    const all = rest + text;
    const end = all.lastIndexOf('\n\n');
    if (end === -1) {
      rest = all;
      return;
    }
    rest = all.slice(end + 2);
    // Only what is looked for is looked at: an event's id stands in a line of its own before its name.
    for (const [, seq, name = ''] of all.slice(0, end).matchAll(/(?:^|\n)id: \w+\.\d+\.(\d+)\nevent: ([a-z.]+)\n/g)) {
      if (name === 'stream.gap') state.hasGap = true;
      if (!name.startsWith('widget.')) continue;
      if (state.lastSeq !== 0 && Number(seq) !== state.lastSeq + 1) state.isDense = false;
      state.lastSeq = Number(seq);
      state.events += 1;
    }
  });
  return {
    get events() {
      return state.events;
    },
    get lastSeq() {
      return state.lastSeq;
    },
    get isDense() {
      return state.isDense;
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
