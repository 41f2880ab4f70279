import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { ProvisionToken } from '@widget-service/shared/ports/grant-store.ts';
import type { FastifyRequest } from 'fastify';
import type { GrantCache } from './grant-cache.ts';
import type { RecordLastUsed } from './record-last-used.ts';

/** What a caller is told that could have sent a Bearer token. */
export const bearerChallenge = 'Bearer realm="widgets"';

const bearerPattern = /^bearer(?: +(.*))?$/i;

export type BearerVerdict =
  /** The request has no Bearer token: another credential may decide. */
  | { readonly status: 'absent' }
  /** It has one that is unknown, malformed, revoked or expired: alike. */
  | { readonly status: 'refused' }
  | { readonly status: 'ok'; readonly provisionToken: ProvisionToken };

export interface VerifyBearerDeps {
  readonly cache: Pick<GrantCache<ProvisionToken>, 'resolve'>;
  readonly recordLastUsed: RecordLastUsed;
}

/** Finds the provision token of a request's `Authorization`. Throws `UnavailableError` when it cannot be looked up. */
export function makeVerifyBearer({ cache, recordLastUsed }: VerifyBearerDeps) {
  return async (request: FastifyRequest): Promise<BearerVerdict> => {
    if (request.headers.authorization === undefined) return { status: 'absent' };
    const token = parseBearerToken(request.raw.rawHeaders);
    if (token === null) return { status: 'absent' };
    const held = isWellFormedToken(token, 'wpt') ? await cache.resolve(sha256Hex(token)) : null;
    if (held === null) return { status: 'refused' };
    recordLastUsed(held.grant.id);
    return { status: 'ok', provisionToken: held.grant };
  };
}

/**
 * The Bearer token among the raw headers (names and values in turn); null when there is none. Empty, and so no token,
 * beside a second `Authorization`: Node keeps the first of them, while a proxy may have gone by the last.
 */
export function parseBearerToken(rawHeaders: readonly string[]): string | null {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization');
  const tokens = values.flatMap((value) => bearerPattern.exec(value)?.slice(1) ?? []).map((token) => token ?? '');
  if (tokens.length === 0) return null;
  return values.length === 1 ? (tokens[0] ?? '') : '';
}
