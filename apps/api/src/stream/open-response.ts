import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { StreamMessage } from './frame.ts';

/**
 * Opens an event stream through fastify-sse-v2, writes the opening messages and detaches the response from the plugin.
 *
 * The plugin hijacks the reply, sends the headers and pipes its own source into the response. As soon as the source has
 * emitted the opening messages, this function unpipes and ends it. The plugin writes each message separately. This
 * function corks the response and the socket meanwhile, so the headers and messages leave as one HTTP chunk and one
 * write.
 *
 * Resolves to null if the client has left. `messages` must not be empty.
 */
export async function openResponse(reply: FastifyReply, messages: readonly StreamMessage[]): Promise<Socket | null> {
  const response = reply.raw;
  // The client left while the route prepared the stream. The response emits no second `close` and accepts no bytes.
  // `hijack` keeps Fastify from sending a response.
  if (response.destroyed) {
    reply.hijack();
    return null;
  }
  const corkedSocket = response.socket;
  corkedSocket?.cork();
  response.cork();
  const written = new Promise<Readable>((resolve) => {
    response.once('pipe', (source: Readable) => {
      let remaining = messages.length;
      source.on('data', () => {
        remaining -= 1;
        if (remaining === 0) resolve(source);
      });
    });
  });
  const closed = once(response, 'close').then(() => null);
  for (const message of messages) reply.sse(message);
  const source = await Promise.race([written, closed]);
  response.uncork();
  corkedSocket?.uncork();
  if (source === null) return null;
  source.unpipe(response);
  source.destroy();
  // Otherwise the plugin's loop waits for a message that never comes, and what it holds survives many collections.
  reply.sseContext.source.end();
  // A pipelined response (RFC 9112, section 9.3.2) gets the socket when the responses before it have ended.
  if (response.socket === null) await Promise.race([once(response, 'socket'), closed]);
  const { socket } = response;
  return socket === null || socket.destroyed ? null : socket;
}

/**
 * Takes the connection of an open stream away from Node's HTTP server, so that an idle stream costs little more than its
 * socket. Resolves to false if the client has left.
 *
 * Node keeps a parser, the request and the response of each connection until it closes: two thirds of the memory of an
 * idle stream. So this function tells the HTTP server that the connection has closed, by the event that it listens to,
 * and then removes its listeners. The socket stays open. It still counts as a connection of the server.
 *
 * A client that has sent another request on this connection is disconnected: its response could never begin.
 */
export async function takeSocketFromHttp(response: ServerResponse, socket: Socket): Promise<boolean> {
  const { req: request } = response;
  // Node takes a request that was not read to its end for an aborted one, and destroys the socket.
  if (!request.readableEnded) {
    request.resume();
    await Promise.race([once(request, 'end'), once(request, 'close')]);
  }
  if (socket.destroyed) return false;
  response.detachSocket(socket);
  socket.emit('close', false);
  socket.removeAllListeners();
  // A socket without this listener would end the process. It closes itself after an error.
  socket.on('error', () => undefined);
  // Like Node's HTTP server: a client that closes its half has left.
  socket.on('end', () => socket.end());
  // Reads and drops what the client sends. Without reading, its end would not be noticed.
  socket.resume();
  return !socket.destroyed;
}
