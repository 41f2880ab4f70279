/**
 * Follows the stream at the URL in the first argument with the npm package `eventsource`, as its users do. Prints each
 * message as one line of JSON. Ends with code 1 when the package gives up.
 */
import { EventSource } from 'eventsource';

// While the package waits to reconnect, its timer does not keep the process alive. Without a timer of our own, this
// process would end with code 0 when the stream closes.
setInterval(() => undefined, 60_000);
const source = new EventSource(process.argv[2] ?? '');
const names = ['stream.open', 'stream.gap', 'stream.closing', 'widget.created', 'widget.updated', 'widget.retired'];
for (const event of [...names, 'message']) {
  source.addEventListener(event, ({ lastEventId, data }) =>
    process.stdout.write(`${JSON.stringify({ id: lastEventId, event, data })}\n`),
  );
}
source.addEventListener('error', ({ message }) => {
  console.error(message);
  if (source.readyState === EventSource.CLOSED) process.exit(1);
});
