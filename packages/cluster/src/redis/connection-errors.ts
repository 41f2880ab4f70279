import type { Redis } from 'ioredis';

/**
 * Keeps a second error of one socket from ending the process.
 *
 * ioredis (6.0.0) listens to one error of a socket. A TLS socket can have two: when Redis refuses the client
 * certificate, it first reports the alert, and then that the connection was reset.
 */
export function surviveSocketErrors(redis: Redis): void {
  redis.on('connect', () => redis.stream?.on('error', () => undefined));
}

/** For a connection whose outages are reported elsewhere. Without a listener, ioredis writes errors to the console. */
export function ignoreErrors(redis: Redis): void {
  redis.on('error', () => undefined);
  surviveSocketErrors(redis);
}

const openSslMark = ':SSL routines:';

/**
 * Returns the message of a connection error, shortened to its reason if OpenSSL wrote it, as in
 * `40CDC1…:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/…:116\n`.
 */
export function describeConnectionError({ message }: Pick<Error, 'message'>): string {
  const at = message.indexOf(openSslMark);
  if (at === -1) return message;
  const [, reason = ''] = message.slice(at + openSslMark.length).split(':');
  // Keeps what a driver has put before OpenSSL's text, which begins with the id of the thread.
  const prefix = message.slice(0, message.lastIndexOf(' ', at) + 1);
  return `${prefix}TLS: ${reason}`;
}
