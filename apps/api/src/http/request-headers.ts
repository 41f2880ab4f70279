import type { IncomingMessage } from 'node:http';
import { parseIdempotencyKey } from '@widget-service/shared/domain/idempotency.ts';
import type { FastifyRequest } from 'fastify';
import { InputError } from './problem.ts';

const detail = 'Must be sent once, as 1 to 255 visible ASCII characters.';

/** The request's idempotency key, null when it has none. */
export function parseIdempotencyHeader({ headers, raw }: FastifyRequest): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return null;
  const key = parseIdempotencyKey(header.toString());
  if (key !== null) return key;
  throw new InputError('invalid-idempotency-key', `Idempotency-Key: ${detail}`, [
    // Node joins a repeated header by a comma and a blank, which makes it malformed as well.
    { detail, code: countHeader(raw, 'idempotency-key') > 1 ? 'repeated' : 'format', header: 'Idempotency-Key' },
  ]);
}

/**
 * The id that the sender has given its hook, as it is; null when it has given none. Which one of two it meant cannot be
 * told: Node joins them, and a repetition that sends one of them would be another hook.
 */
export function parseWebhookIdHeader({ headers, raw }: FastifyRequest): string | null {
  const header = headers['webhook-id'];
  if (header === undefined) return null;
  if (countHeader(raw, 'webhook-id') > 1) {
    const once = 'Must be sent once.';
    throw new InputError('invalid-request', `Webhook-Id: ${once}`, [
      { detail: once, code: 'repeated', header: 'Webhook-Id' },
    ]);
  }
  const id = header.toString();
  return id === '' ? null : id;
}

/**
 * How often a request has a header. Of some that are repeated Node keeps the first, others it joins, while a proxy may
 * have gone by the last. `name` is lower-case.
 */
export function countHeader({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
