import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { GrantCache, ResolvedGrant } from '../revocation/grant-cache.ts';

/**
 * Makes the check of the policy `hook-token`. It finds the integration of the hook token (`wht_…`) in the route
 * parameter `token` and sets `request.integration` and `request.hookToken`. It runs for every hook, so a cached token
 * is checked synchronously, without a promise.
 *
 * Fails with `ServiceError` `invalid-hook-token`, the same for an unknown, malformed, revoked or expired token, or with
 * `UnavailableError` if the token is not cached and the store is unavailable.
 */
export function makeVerifyHookToken(cache: Pick<GrantCache<Integration>, 'recall' | 'resolve'>): onRequestHookHandler {
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
