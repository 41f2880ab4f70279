import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { StreamMessage } from './frame.ts';

/**
 * Opens an event stream through fastify-sse-v2 and takes its socket over once the opening messages are written.
 *
 * The plugin hijacks the reply, sends the headers and pipes a source of its own into the response. The source is
 * unpiped and destroyed as soon as it has given the opening messages, so that an idle stream costs no more than its
 * socket. The plugin writes message by message: response and socket are corked meanwhile, and headers and messages
 * leave as one chunk and one write. Null when the client left before or meanwhile.
 */
export async function takeOverResponse(
  reply: FastifyReply,
  messages: readonly StreamMessage[],
): Promise<Socket | null> {
  const response = reply.raw;
  // What was closed while the stream was prepared will not say so again, and takes nothing.
  if (response.destroyed) {
    reply.hijack();
    return null;
  }
  const corked = response.socket;
  corked?.cork();
  response.cork();
  const written = new Promise<Readable>((resolve) => {
    response.once('pipe', (source: Readable) => {
      let left = messages.length;
      source.on('data', () => {
        left -= 1;
        if (left === 0) resolve(source);
      });
    });
  });
  const left = once(response, 'close').then(() => null);
  for (const message of messages) reply.sse(message);
  const source = await Promise.race([written, left]);
  response.uncork();
  corked?.uncork();
  if (source === null) return null;
  source.unpipe(response);
  source.destroy();
  // A response behind another one on its connection gets the socket later.
  if (response.socket === null) await Promise.race([once(response, 'socket'), left]);
  const { socket } = response;
  return socket === null || socket.destroyed ? null : socket;
}
