import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { GrantToken, Integration, ProvisionToken } from '@widget-service/shared/entities/grant.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenCache } from '../revocation/token-cache.ts';
import type { RecordLastUsed, ResolvedGrant } from '../revocation/token-caches.ts';

/** The caller of a route whose policy requires a session or a permission. */
export type Caller = SignedInCaller | ProvisionCaller;

/** A signed-in user, with the id of the session in the request's cookie. */
export interface SignedInCaller extends SignedIn {
  readonly kind: 'session';
  readonly sessionId: string;
}

export interface ProvisionCaller {
  readonly kind: 'provision-token';
  readonly provisionToken: ProvisionToken;
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Who sent the request. Set by a policy that requires a session or a permission, also if it then refuses the
     * request for lack of the permission or of the CSRF token. Otherwise null.
     */
    caller: Caller | null;
    /** Whose hook address was called. Set by the policy `hook-token`; otherwise null. */
    integration: Integration | null;
    /** The token of `integration` that the sender used. Set together with `integration`. */
    hookToken: GrantToken | null;
    /** Whether the hook was signed with a secret of its integration. False before its signature is verified. */
    isSenderVerified: boolean;
    /** How many permits of its integration the hook has taken (`registerHookLimits`). */
    hookPermitsTaken: number;
  }
}

/** Declares the members above on every request object. */
export function decorateCredentials(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('integration', null);
  app.decorateRequest('hookToken', null);
  app.decorateRequest('isSenderVerified', false);
  app.decorateRequest('hookPermitsTaken', 0);
}

/** A check of a request before its handler. */
export type Check = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

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

/**
 * Makes the function that checks the Bearer token of a request's `Authorization` header and finds its provision token
 * (`wpt_…`). A valid token is recorded as used. The function throws `UnavailableError` if the token is not cached and
 * the store is unavailable.
 */
export function makeVerifyBearer(
  cache: Pick<TokenCache<ResolvedGrant<ProvisionToken>>, 'resolve'>,
  recordLastUsed: RecordLastUsed,
) {
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

/**
 * Makes the check of the policy `hook-token`. It finds the integration of the hook token (`wht_…`) in the route
 * parameter `token` and sets `request.integration` and `request.hookToken`. It runs for every hook, so a cached token
 * is checked synchronously, without a promise.
 *
 * Fails with `ServiceError` `invalid-hook-token`, the same for an unknown, malformed, revoked or expired token, or with
 * `UnavailableError` if the token is not cached and the store is unavailable.
 */
export function makeVerifyHookToken(cache: Pick<TokenCache<ResolvedGrant<Integration>>, 'recall' | 'resolve'>): Check {
  return (request, _reply, done) => {
    const { token } = request.params as { token: string };
    const digest = sha256Hex(token);
    // A cached token is well-formed, so its form is not checked again.
    const cached = cache.recall(digest);
    if (cached !== undefined) {
      setIntegration(request, cached);
      done();
    } else if (!isWellFormedToken(token, 'wht')) {
      done(createInvalidTokenError());
    } else {
      cache.resolve(digest).then((resolved) => {
        if (resolved !== null) setIntegration(request, resolved);
        done(resolved === null ? createInvalidTokenError() : undefined);
      }, done);
    }
  };
}

function setIntegration(request: FastifyRequest, { grant, token }: ResolvedGrant<Integration>): void {
  request.integration = grant;
  request.hookToken = token;
}

function createInvalidTokenError(): ServiceError {
  return new ServiceError('invalid-hook-token', 'This address accepts no hooks.');
}
