/**
 * Follows the stream at the URL in the first argument with `fetch` and the npm package `eventsource-parser`, as its
 * readme shows it: the package parses, and the program connects again. Prints each message as one line of JSON. Ends
 * with code 1 when the service refuses the stream.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';

const url = process.argv[2] ?? '';
let lastEventId = '';
let retryMs = 3_000;
for (;;) {
  const headers = { accept: 'text/event-stream', ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }) };
  const response = await fetch(url, { headers }).catch(() => null);
  if (response !== null && response.status >= 400 && response.status < 500) {
    console.error(`refused with ${response.status}`);
    process.exit(1);
  }
  if (response?.ok && response.body !== null) await printMessages(response.body);
  await delay(retryMs);
}

/** Prints the messages until the connection ends or breaks. */
async function printMessages(body: ReadableStream<Uint8Array>): Promise<void> {
  const onRetry = (intervalMs: number) => {
    retryMs = intervalMs;
  };
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream({ onRetry }));
  try {
    for await (const { id, event = 'message', data } of messages) {
      lastEventId = id ?? lastEventId;
      process.stdout.write(`${JSON.stringify({ id: lastEventId, event, data })}\n`);
    }
  } catch {
    // A broken connection. The next one goes on after the last message.
  }
}
