import { get } from 'node:http';

export interface StreamOpening {
  readonly status: number;
  /** The messages up to `stream.open`; empty when the request is rejected. */
  readonly events: readonly { readonly event: string; readonly data: string }[];
  /** The body of a rejection; otherwise empty. */
  readonly body: string;
}

export interface OpeningRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Opens a stream on its own connection and closes it after `stream.open`. */
export function openStreamOnce(baseUrl: string, { path, headers = {} }: OpeningRequest): Promise<StreamOpening> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const request = get({ hostname, port, path, headers, agent: false }, (response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('end', () => resolve({ status, events: [], body: text }));
      response.on('data', (chunk: string) => {
        text += chunk;
        if (status !== 200) return;
        const events = parseEvents(text);
        if (!events.some(({ event }) => event === 'stream.open')) return;
        request.destroy();
        resolve({ status, events, body: '' });
      });
    });
    request.once('error', reject);
  });
}

/** Parses SSE as a browser does: carriage returns end lines too (HTML, section 9.2.6). */
function parseEvents(text: string): { event: string; data: string }[] {
  return text.split(/\r\n\r\n|\n\n|\r\r/).flatMap((block) => {
    const fields = block.split(/\r\n|\n|\r/).map((line) => line.split(': '));
    const getField = (name: string) =>
      fields
        .find(([field]) => field === name)
        ?.slice(1)
        .join(': ');
    const data = getField('data');
    return data === undefined ? [] : [{ event: getField('event') ?? 'message', data }];
  });
}
