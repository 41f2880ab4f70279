import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseSigningSecret, unsealSecret } from '@widget-service/shared/domain/sealed-secret.ts';
import { isEqualInConstantTime } from '@widget-service/shared/domain/token.ts';
import type { GrantToken } from '@widget-service/shared/entities/grant.ts';
import { decodeHeaderText, encodeHeader } from '../http/request-headers.ts';

/**
 * How far a hook's timestamp may differ from our clock, in either direction. Standard Webhooks asks for a tolerance
 * without naming one. Its reference libraries use five minutes (standardwebhooks 1.1.1).
 */
const toleranceSeconds = 300;
/** The signature scheme HMAC-SHA256 in Standard Webhooks. */
const schemeVersion = 'v1';
/** Other entries need no HMAC. */
const signaturePattern = /^v1,[\w+/]{43}=$/;
/** Whole Unix seconds. */
const timestampPattern = /^\d{1,12}$/;
/** A sender that rotates its secret sends two signatures. Comparing many more would only cost time. */
const signaturesMax = 10;

/** A hook whose signature is to be verified. */
export interface SignedHook {
  /** The hook token as the sender presented it (`wht_…`). Only this text unseals the signing secret. */
  readonly token: string;
  /** The same token as stored: its digest and, if hooks must be signed, the sealed signing secret. */
  readonly grantToken: GrantToken;
  /** Only `webhook-id`, `webhook-timestamp` (Unix seconds) and `webhook-signature` are read. */
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes of the body, as received. */
  readonly body: Uint8Array;
  readonly now: Date;
}

/**
 * Makes the function that verifies the signature of a hook as Standard Webhooks 1.0.0 describes: HMAC-SHA256 over
 * `<id>.<timestamp>.<body>`, base64, sent as `v1,<signature>`. `webhook-signature` may hold several signatures,
 * separated by spaces. One of the first 10 must match, and the timestamp must be within 300 s of `now`.
 *
 * The function returns without a check if the token has no sealed signing secret. It throws
 * - `ServiceError` `invalid-hook-signature`, the same for a header that is missing or wrong and for a timestamp outside
 *   the 300 s;
 * - `Error` if the stored secret cannot be unsealed with the token, which means that the stored data is damaged.
 */
export function makeVerifyHookSignature() {
  /** Unsealed signing keys, kept as long as the token cache keeps this object. Unsealing costs more than verifying. */
  const keys = new WeakMap<GrantToken, Buffer>();

  const getSigningKey = ({ token, grantToken }: SignedHook, sealed: string): Buffer => {
    const cachedKey = keys.get(grantToken);
    if (cachedKey !== undefined) return cachedKey;
    const secret = unsealSecret(sealed, token);
    const key = secret === null ? null : parseSigningSecret(secret);
    if (key === null) throw new Error('The stored signing secret of a hook token is damaged: rotate its integration.');
    keys.set(grantToken, key);
    return key;
  };

  return (hook: SignedHook): void => {
    const { sealedSecret } = hook.grantToken;
    if (sealedSecret === null) return;
    if (!isSignatureValid(hook, getSigningKey(hook, sealedSecret))) {
      throw new ServiceError('invalid-hook-signature', 'The signature of this hook is missing or not valid.');
    }
  };
}

function isSignatureValid({ headers, body, now }: SignedHook, key: Buffer): boolean {
  const id = headers['webhook-id']?.toString() ?? '';
  const timestamp = headers['webhook-timestamp']?.toString() ?? '';
  if (id === '' || !isRecent(timestamp, now)) return false;
  const entries = (headers['webhook-signature']?.toString() ?? '').split(' ').slice(0, signaturesMax);
  const signatures = entries.filter((entry) => signaturePattern.test(entry));
  if (signatures.length === 0) return false;
  return listSignedIds(id).some((signedId) => {
    const hmac = createHmac('sha256', key).update(signedId).update(`.${timestamp}.`).update(body);
    const expected = Buffer.from(`${schemeVersion},${hmac.digest('base64')}`);
    return signatures.some((entry) => isEqualInConstantTime(Buffer.from(entry), expected));
  });
}

/**
 * Returns the bytes that a sender may have signed as the id: those that it sent. A sender that writes its headers in
 * Latin-1, as `fetch` does, signs its text in UTF-8 all the same. Both are the id of one hook (`parseWebhookIdHeader`).
 */
function listSignedIds(id: string): Buffer[] {
  const [sent, text] = [encodeHeader(id), Buffer.from(decodeHeaderText(id))];
  return sent.equals(text) ? [sent] : [sent, text];
}

function isRecent(timestamp: string, now: Date): boolean {
  return timestampPattern.test(timestamp) && Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds;
}
