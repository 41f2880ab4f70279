import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { GrantCache, ResolvedGrant } from './grant-cache.ts';

/**
 * Finds the integration of the hook token in the path, or refuses: unknown and malformed tokens alike. A token in use
 * is answered from memory, without a promise: this runs for every hook.
 */
export function makeVerifyHookToken(cache: Pick<GrantCache<Integration>, 'recall' | 'resolve'>): onRequestHookHandler {
  return (request, _reply, done) => {
    const { token } = request.params as { token: string };
    const digest = sha256Hex(token);
    // What is remembered has the right form.
    const known = cache.recall(digest);
    if (known !== undefined) {
      admit(request, known);
      done();
    } else if (!isWellFormedToken(token, 'wht')) {
      done(unknownToken());
    } else {
      cache.resolve(digest).then((held) => {
        if (held !== null) admit(request, held);
        done(held === null ? unknownToken() : undefined);
      }, done);
    }
  };
}

function admit(request: FastifyRequest, { grant, token }: ResolvedGrant<Integration>): void {
  request.integration = grant;
  request.hookToken = token;
}

function unknownToken(): ServiceError {
  return new ServiceError('invalid-hook-token', 'This address takes no hooks.');
}
