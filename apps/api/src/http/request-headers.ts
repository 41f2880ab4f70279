import type { IncomingMessage } from 'node:http';
import { parseIdempotencyKey } from '@widget-service/shared/domain/idempotent-create.ts';
import type { FastifyRequest } from 'fastify';
import { InputError } from './problem.ts';

// The headers that identify a repeated request, and reading any header's text. `Authorization` is read by
// `caller/credentials.ts`, cookies by `caller/cookies.ts`, and forwarding headers by `forwarding.ts`.

const idempotencyKeyRule = 'Must be sent once, as 1 to 255 visible ASCII characters.';

/**
 * Returns the key in `Idempotency-Key`, without quotes around it, or null if the request has no such header. Throws
 * `InputError` `invalid-idempotency-key` if the header is malformed or repeated.
 */
export function parseIdempotencyHeader({ headers, raw }: FastifyRequest): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return null;
  const key = parseIdempotencyKey(header.toString());
  if (key !== null) return key;
  throw new InputError('invalid-idempotency-key', `Idempotency-Key: ${idempotencyKeyRule}`, [
    {
      detail: idempotencyKeyRule,
      // Node joins repeated headers with a comma and a space, and no key has a space. So a repeated key never passes.
      code: countHeader(raw, 'idempotency-key') > 1 ? 'repeated' : 'format',
      header: 'Idempotency-Key',
    },
  ]);
}

/**
 * Returns the id that the sender gave its hook (`Webhook-Id`, Standard Webhooks), as text. Null if the header is
 * missing or empty. Throws `InputError` `invalid-request` if the header is repeated: Node joins the values, so a retry
 * that sends only one of them would count as another hook.
 */
export function parseWebhookIdHeader({ headers, raw }: FastifyRequest): string | null {
  const header = headers['webhook-id'];
  if (header === undefined) return null;
  if (countHeader(raw, 'webhook-id') > 1) {
    const detail = 'Must be sent once.';
    throw new InputError('invalid-request', `Webhook-Id: ${detail}`, [
      { detail, code: 'repeated', header: 'Webhook-Id' },
    ]);
  }
  const id = decodeHeaderText(header.toString());
  return id === '' ? null : id;
}

const beyondAscii = /[\x80-\xff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the text of a header's value. Node takes each byte for a character of Latin-1, but most senders mean UTF-8.
 * So the value is read as UTF-8, and stays Latin-1 if its bytes are not valid UTF-8.
 */
export function decodeHeaderText(value: string): string {
  if (!beyondAscii.test(value)) return value;
  try {
    return utf8.decode(encodeHeader(value));
  } catch {
    return value;
  }
}

/** Returns the bytes of a header's value, as they were sent. */
export function encodeHeader(value: string): Buffer {
  return Buffer.from(value, 'latin1');
}

/**
 * Counts how often a request sends a header. `name` is lower-case. Node's `headers` hides repetitions: it keeps the
 * first value of some headers and joins the values of others, while a proxy may have used the last one.
 */
export function countHeader({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sentName = rawHeaders[index];
    if (sentName?.length === name.length && sentName.toLowerCase() === name) count += 1;
  }
  return count;
}
