import type { IncomingMessage } from 'node:http';

/** One block of a stream. A field that it does not have is null. */
interface Block {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
  readonly retryMs: number | null;
}

/**
 * Splits a stream into blocks, exactly as the service sent them. Drops an unfinished block at the end, as the HTML
 * standard requires.
 */
export function readBlocks(response: IncomingMessage, onBlock: (block: Block) => void): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    rest += text;
    let start = 0;
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n', start)) {
      onBlock(parseBlock(rest, start, end));
      start = end + 2;
    }
    rest = rest.slice(start);
  });
}

function parseBlock(text: string, start: number, end: number): Block {
  let [id, event, data, retryMs]: [string | null, string, string | null, number | null] = [null, 'message', null, null];
  for (let at = start; at < end; ) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline === -1 || newline > end ? end : newline;
    if (text.startsWith('id: ', at)) id = text.slice(at + 4, lineEnd);
    else if (text.startsWith('event: ', at)) event = text.slice(at + 7, lineEnd);
    else if (text.startsWith('data: ', at)) data = (data === null ? '' : `${data}\n`) + text.slice(at + 6, lineEnd);
    else if (text.startsWith('retry: ', at)) retryMs = Number(text.slice(at + 7, lineEnd));
    at = lineEnd + 1;
  }
  return { id, event, data, retryMs };
}
