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

/** For a connection whose outages somebody else reports. Without a listener, ioredis writes errors to the console. */
export function ignoreErrors(redis: Redis): void {
  redis.on('error', () => undefined);
  surviveSocketErrors(redis);
}
