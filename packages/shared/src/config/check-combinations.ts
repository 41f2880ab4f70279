import { isLoopback } from '../runtime/host-name.ts';
import type { Settings } from './settings.ts';

/** Returns one line per combination of settings with which an api cannot do its work. */
export function checkCombinations(settings: Settings): string[] {
  return [findPortMistake(settings), findSchemeMistake(settings), findEventMistake(settings)].filter(
    (line) => line !== null,
  );
}

/**
 * The public and the operators' interface of an api need different ports. With port 0 each takes a free one. A worker
 * has no public interface.
 */
function findPortMistake({ PORT, OPS_PORT }: Settings): string | null {
  if (PORT === 0 || PORT !== OPS_PORT) return null;
  return `PORT, OPS_PORT: both are ${PORT}; allowed: two different ports`;
}

/** A page of a base URL with `http:` could not sign in: browsers send a secure cookie over HTTPS or to this machine. */
function findSchemeMistake({ PUBLIC_BASE_URL, COOKIE_SECURE }: Settings): string | null {
  if (PUBLIC_BASE_URL === null || !COOKIE_SECURE) return null;
  const { protocol, hostname } = new URL(PUBLIC_BASE_URL);
  if (protocol === 'https:' || isLoopback(hostname)) return null;
  return (
    `PUBLIC_BASE_URL, COOKIE_SECURE: ${JSON.stringify(PUBLIC_BASE_URL)} begins with http:, but browsers send the session ` +
    'cookie over HTTPS only; allowed: a URL with https:, or COOKIE_SECURE=false'
  );
}

/** An event holds the payload of its hook and some hundred bytes more. The log would drop it before it is read. */
function findEventMistake({ EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES }: Settings): string | null {
  if (EVENT_RETENTION_BYTES > BODY_LIMIT_BYTES) return null;
  return `EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES: the event of a hook of ${BODY_LIMIT_BYTES} bytes does not fit into ${EVENT_RETENTION_BYTES} bytes; allowed: more bytes for events than for a body`;
}
