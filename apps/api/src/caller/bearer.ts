import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { ProvisionToken } from '@widget-service/shared/entities/grant.ts';
import type { FastifyRequest } from 'fastify';
import type { RecordLastUsed } from '../revocation/record-last-used.ts';
import type { TokenCache } from '../revocation/token-cache.ts';
import type { ResolvedGrant } from '../revocation/token-caches.ts';

/**
 * The `WWW-Authenticate` value (RFC 6750) of a 403 `not-authenticated` at a route that accepts Bearer tokens. The
 * interface has no 401.
 */
export const bearerChallenge = 'Bearer realm="widgets"';

const bearerPattern = /^bearer(?: (.*))?$/i;

/** The result of checking a request's Bearer token. */
export type BearerVerdict =
  /** The request has no Bearer token. Another credential may decide. */
  | { readonly status: 'absent' }
  /**
   * The token is unknown, malformed, revoked or expired, or the request has several `Authorization` headers. The caller
   * never learns which.
   */
  | { readonly status: 'invalid' }
  | { readonly status: 'ok'; readonly provisionToken: ProvisionToken };

export interface VerifyBearerDeps {
  readonly cache: Pick<TokenCache<ResolvedGrant<ProvisionToken>>, 'resolve'>;
  readonly recordLastUsed: RecordLastUsed;
}

/**
 * Makes the function that checks the Bearer token of a request's `Authorization` header and finds its provision token
 * (`wpt_…`). A valid token is recorded as used. The function throws `UnavailableError` if the token is not cached and
 * the store is unavailable.
 */
export function makeVerifyBearer({ cache, recordLastUsed }: VerifyBearerDeps) {
  return async (request: FastifyRequest): Promise<BearerVerdict> => {
    if (request.headers.authorization === undefined) return { status: 'absent' };
    const token = parseBearerToken(request.raw.rawHeaders);
    if (token === null) return { status: 'absent' };
    const resolved = isWellFormedToken(token, 'wpt') ? await cache.resolve(sha256Hex(token)) : null;
    if (resolved === null) return { status: 'invalid' };
    recordLastUsed(resolved.grant.id);
    return { status: 'ok', provisionToken: resolved.grant };
  };
}

/**
 * Extracts the Bearer token (RFC 6750) from the raw headers, in which names and values alternate. Returns null if no
 * `Authorization` header has the scheme Bearer. Returns an empty text, which is never a valid token, if a Bearer header
 * has no token or is one of several `Authorization` headers: Node keeps the first, while a proxy may have used the
 * last.
 */
export function parseBearerToken(rawHeaders: readonly string[]): string | null {
  let bearerToken: string | null = null;
  let headers = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue;
    headers += 1;
    const match = bearerPattern.exec(rawHeaders[index + 1] ?? '');
    if (match !== null) bearerToken = match[1]?.replace(/^ +/, '') ?? '';
  }
  return bearerToken !== null && headers > 1 ? '' : bearerToken;
}
