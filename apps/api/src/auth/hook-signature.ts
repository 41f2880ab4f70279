import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { GrantToken } from '@widget-service/shared/domain/grant.ts';
import { parseSigningSecret, unsealSecret } from '@widget-service/shared/domain/sealed-secret.ts';

/** How far a signature's time may lie from ours, either way: what Standard Webhooks recommends. */
const toleranceSeconds = 300;
const version = 'v1';
const timestampPattern = /^\d{1,12}$/;
/** A sender that rotates its secret signs with two; more than a few are only work. */
const signaturesMax = 10;

export interface SignedHook {
  /** The hook token as it was sent: only with it the signing secret can be opened. */
  readonly token: string;
  /** The same token as it is kept. */
  readonly grantToken: GrantToken;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte as it arrived. */
  readonly body: Uint8Array;
  readonly now: Date;
}

/**
 * Verifies the signature of a hook (Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`), if its token asks for
 * one. Throws `ServiceError` `invalid-hook-signature`, the same for everything that may be wrong.
 */
export function makeVerifyHookSignature() {
  /** Opened secrets, as long as the token they belong to is remembered: opening costs more than verifying. */
  const keys = new WeakMap<GrantToken, Buffer>();

  const keyOf = ({ token, grantToken }: SignedHook, sealed: string): Buffer => {
    const known = keys.get(grantToken);
    if (known !== undefined) return known;
    const secret = unsealSecret(sealed, token);
    const key = secret === null ? null : parseSigningSecret(secret);
    if (key === null) throw new Error('the sealed secret of a hook token does not open with it');
    keys.set(grantToken, key);
    return key;
  };

  return (hook: SignedHook): void => {
    const { sealedSecret } = hook.grantToken;
    if (sealedSecret === null) return;
    if (!isSigned(hook, keyOf(hook, sealedSecret))) {
      throw new ServiceError('invalid-hook-signature', 'The signature of this hook is missing or not valid.');
    }
  };
}

function isSigned({ headers, body, now }: SignedHook, key: Buffer): boolean {
  const id = headers['webhook-id']?.toString() ?? '';
  const timestamp = headers['webhook-timestamp']?.toString() ?? '';
  if (id === '' || !isRecent(timestamp, now)) return false;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`${version},${signature}`);
  const given = (headers['webhook-signature']?.toString() ?? '').split(' ').slice(0, signaturesMax);
  return given.some((entry) => isEqual(Buffer.from(entry), expected));
}

function isRecent(timestamp: string, now: Date): boolean {
  return timestampPattern.test(timestamp) && Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds;
}

/** In a time that does not tell how much of it is right; the length is no secret. */
function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
