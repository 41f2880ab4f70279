import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Opens an event stream through fastify-sse-v2 and sends `opening`, its first messages. Headers and messages leave as
 * one write.
 *
 * The plugin hijacks the reply, sends the headers and pipes a source of messages into the response. This function
 * destroys the source at once: a message that goes through it costs several promises, and the stream would keep them.
 *
 * Resolves to null if the client has left.
 */
export async function openResponse(reply: FastifyReply, opening: Buffer): Promise<Socket | null> {
  const response = reply.raw;
  // The client left while the route prepared the stream. The response emits no second `close` and accepts no bytes.
  // `hijack` keeps Fastify from sending a response.
  if (response.destroyed) {
    reply.hijack();
    return null;
  }
  const corkedSocket = response.socket;
  corkedSocket?.cork();
  response.once('pipe', (source: Readable) => {
    source.unpipe(response);
    source.destroy();
  });
  // Makes the plugin send the headers. The message itself is lost with the source.
  reply.sse({});
  response.write(opening);
  corkedSocket?.uncork();
  // A pipelined response (RFC 9112, section 9.3.2) gets the socket when the responses before it have ended.
  if (response.socket === null) await Promise.race([once(response, 'socket'), once(response, 'close')]);
  const { socket } = response;
  return socket === null || socket.destroyed ? null : socket;
}

/**
 * Takes the connection of an open stream away from Node's HTTP server, so that an idle stream costs little more than
 * its socket. Resolves to false if the client has left.
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
