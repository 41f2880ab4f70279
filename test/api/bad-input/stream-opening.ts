import { get } from 'node:http';

export interface StreamOpening {
  readonly status: number;
  /** Up to `stream.open`; of a refusal, none. */
  readonly events: readonly { readonly event: string; readonly data: string }[];
  /** Of a refusal. */
  readonly body: string;
}

export interface OpeningRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Opens a stream on a connection of its own and lets it go once it has said how it begins. */
export function openOnce(baseUrl: string, { path, headers = {} }: OpeningRequest): Promise<StreamOpening> {
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
        const events = eventsOf(text);
        if (!events.some(({ event }) => event === 'stream.open')) return;
        request.destroy();
        resolve({ status, events, body: '' });
      });
    });
    request.once('error', reject);
  });
}

/** Read as a browser reads it: carriage returns end lines too (HTML, section 9.2.6). */
function eventsOf(text: string): { event: string; data: string }[] {
  return text.split(/\r\n\r\n|\n\n|\r\r/).flatMap((block) => {
    const fields = block.split(/\r\n|\n|\r/).map((line) => line.split(': '));
    const fieldOf = (name: string) =>
      fields
        .find(([field]) => field === name)
        ?.slice(1)
        .join(': ');
    const data = fieldOf('data');
    return data === undefined ? [] : [{ event: fieldOf('event') ?? 'message', data }];
  });
}
