import { previousTokenExpiry } from '@widget-service/shared/entities/grant.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { documentResponses } from '../schemas/problem.ts';
import { grantParamsSchema, requireFound, requireId } from './grant-params.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';

/** `DELETE /api/v1/<pathSegment>/{id}/previous-token`: ends the token that the last rotation replaced. */
export function endPreviousTokenRoute<Own extends object>(
  resource: GrantResource<Own>,
  { useCases }: Pick<GrantRouteDeps<Own>, 'useCases'>,
): Route {
  const { nouns, operationGroup } = resource;
  return defineRoute({
    schema: {
      operationId: `example.${operationGroup}.endPreviousToken`,
      summary: `End the previous token of ${nouns.singular}`,
      description:
        'The token that the last rotation replaced stops working within 2 seconds; the current one stays. Does nothing if there is no previous token. After a 503 it may have ended already: repeat the request until you get 204 or 404.',
      params: grantParamsSchema,
      response: documentResponses({ 204: z.null().describe('There is no previous token.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const ended = await useCases.endPreviousToken(requireId(request.params, resource));
      const { before, isEnded } = requireFound(ended, resource);
      const previousExpiresAt = previousTokenExpiry(before)?.toISOString() ?? null;
      noteAudit(request, {
        targetName: before.name,
        before: { previousExpiresAt },
        after: { previousExpiresAt: null },
        isSkipped: !isEnded,
      });
      return reply.code(204).send();
    },
  });
}
