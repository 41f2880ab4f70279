import { parseIdempotencyKey } from '@widget-service/shared/domain/idempotency.ts';
import type { FastifyRequest } from 'fastify';
import { InputError } from './input-error.ts';

/** The request's idempotency key, null when it has none. A repeated header is malformed: Node joins it by a blank. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return null;
  const key = parseIdempotencyKey(header.toString());
  if (key !== null) return key;
  const detail = 'Must be sent once, as 1 to 255 visible ASCII characters.';
  throw new InputError('invalid-idempotency-key', `Idempotency-Key: ${detail}`, [
    { detail, code: 'format', header: 'Idempotency-Key' },
  ]);
}
