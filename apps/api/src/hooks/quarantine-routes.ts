import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { QuarantineRow, QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import { listUnfilteredPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { pageQuerySchema } from '../schemas/page.ts';
import { toPageBody } from '../schemas/page-body.ts';
import { documentResponses } from '../schemas/problem.ts';
import { quarantinedTextWithTextSchema, quarantinePageSchema } from './quarantine-schema.ts';

export interface QuarantineRoutesDeps {
  readonly quarantine: Pick<QuarantineStore, 'list' | 'count' | 'get' | 'discard'>;
}

const paramsSchema = z.object({ id: z.string() });

/** `GET /api/v1/quarantine`: one page of the quarantined texts, without the texts themselves. */
export function listQuarantineRoute({ quarantine }: QuarantineRoutesDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.quarantine.list',
      summary: 'List quarantined texts',
      description:
        'Returns the texts of the hook queue that could not even become dead letters, the newest first. They are kept until they are discarded. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read.',
      querystring: pageQuerySchema,
      response: documentResponses({ 200: { body: quarantinePageSchema, description: 'One page of texts.' } }),
    },
    handler: async ({ query }) => toPageBody(query, await listUnfilteredPage(quarantine, query), toBody),
  });
}

/** `GET /api/v1/quarantine/{id}`: one quarantined text. */
export function getQuarantinedTextRoute({ quarantine }: QuarantineRoutesDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.quarantine.get',
      summary: 'Get a quarantined text',
      description: 'Returns one quarantined text with its origin.',
      params: paramsSchema,
      response: documentResponses({ 200: quarantinedTextWithTextSchema }, 'not-found'),
    },
    handler: async ({ params }) => {
      const id = parseUuid(params.id);
      const found = id === null ? null : await quarantine.get(id);
      if (found === null) throw unknownTextError();
      return { ...toBody(found), text: found.text };
    },
  });
}

/** `DELETE /api/v1/quarantine/{id}`: removes a quarantined text for good. */
export function discardQuarantinedTextRoute({ quarantine }: QuarantineRoutesDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.quarantine.discard',
      summary: 'Discard a quarantined text',
      description:
        'Removes the text for good. After a 503 it may already be removed: repeat the request until you get 204 or 404.',
      params: paramsSchema,
      response: documentResponses({ 204: z.null().describe('It is removed.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const id = parseUuid(request.params.id);
      const discarded = id === null ? null : await quarantine.discard(id);
      if (discarded === null) throw unknownTextError();
      const { reason, integrationId, sizeBytes } = discarded;
      noteAudit(request, { before: { reason, integrationId, sizeBytes } });
      return reply.code(204).send();
    },
  });
}

function toBody({ id, reason, jobId, integrationId, quarantinedAt, sizeBytes }: QuarantineRow) {
  return { id, reason, jobId, integrationId, quarantinedAt: quarantinedAt.toISOString(), sizeBytes };
}

function unknownTextError(): ServiceError {
  return new ServiceError('not-found', 'There is no such text in quarantine.');
}
