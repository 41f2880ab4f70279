import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { digestOf, isWellFormedToken } from '@widget-service/shared/domain/token.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { onRequestAsyncHookHandler } from 'fastify';
import type { TokenCache } from './token-cache.ts';

/** Finds the integration of the hook token in the path, or refuses: unknown and malformed tokens alike. */
export function createVerifyHookToken(
  cache: Pick<TokenCache<Integration>, 'recall' | 'resolve'>,
): onRequestAsyncHookHandler {
  return async (request) => {
    const { token } = request.params as { token: string };
    if (!isWellFormedToken(token, 'wht')) throw unknownToken();
    const digest = digestOf(token);
    const integration = cache.recall(digest) ?? (await cache.resolve(digest));
    if (integration === null) throw unknownToken();
    request.integration = integration;
  };
}

function unknownToken(): ServiceError {
  return new ServiceError('invalid-hook-token', 'This address takes no hooks.');
}
