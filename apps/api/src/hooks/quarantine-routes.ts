import { UnreadableRowError } from '@widget-service/shared/domain/errors.ts';
import { type QuarantinedText, quarantineReasons } from '@widget-service/shared/entities/quarantined-text.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { idParamsSchema, notFound, requireById, requireId } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { toBody } from '../schemas/body.ts';
import { pageQuerySchema, readPage, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { shownUuid, timestamp } from '../schemas/text.ts';

const quarantinedTextShape = z.object({
  id: shownUuid.describe('The `quarantineId` in the log.'),
  reason: z.enum(quarantineReasons).meta({
    description:
      'Why it is in quarantine. `unreadable`: no event id or integration id can be read from it. `store-refused`: it is a delivery that the store will not even accept as a dead letter.',
  }),
  jobId: z.string().meta({
    description:
      'The job of the hook queue with which the batch began. A batch may hold several jobs, so a delivery may come from another one.',
  }),
  integrationId: shownUuid
    .nullable()
    .meta({ description: 'The integration that the delivery names. Null if it cannot be read.' }),
  quarantinedAt: timestamp,
  sizeBytes: z.int().min(0).meta({ description: 'The size of the text in UTF-8.' }),
});

const example = {
  id: '5c1e2f70-9a3b-8d4e-a1f6-0b7c8d9e0f12',
  reason: 'unreadable',
  jobId: 'job-7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91',
  integrationId: null,
  quarantinedAt: '2026-03-01T10:00:01.000Z',
  sizeBytes: 44,
} as const;

const quarantinedTextSchema = quarantinedTextShape.meta({
  id: 'QuarantinedText',
  description: 'A text of the hook queue that could not even become a dead letter.',
  examples: [example],
});

const quarantinedTextWithTextSchema = quarantinedTextShape
  .extend({
    text: z.string().meta({
      description:
        'The text as the queue held it, or its part of the job as JSON. Anybody who can write to the queue may have written it: escape it before you show it.',
    }),
  })
  .meta({
    id: 'QuarantinedTextWithText',
    description: 'A quarantined text with the text itself.',
    examples: [{ ...example, text: '{"version":1,"items":[{"t":"d","p":"half a j' }],
  });

const quarantinePageSchema = toPageSchema(quarantinedTextSchema);

/** Ends the sentence of `notFound`. */
const what = 'text in quarantine';

/** `GET /api/v1/quarantine`: one page of the quarantined texts, without the texts themselves. */
export function listQuarantineRoute({ quarantine }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.quarantine.list',
      summary: 'List quarantined texts',
      description:
        'Returns the texts of the hook queue that could not even become dead letters, the newest first. They are kept until they are discarded. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read.',
      querystring: pageQuerySchema,
      response: documentResponses({ 200: { body: quarantinePageSchema, description: 'One page of texts.' } }),
    },
    handler: async ({ query }) =>
      toPageBody(query, await readPage(quarantine, {}, query), (row) => toBody(quarantinedTextShape, row)),
  });
}

/** `GET /api/v1/quarantine/{id}`: one quarantined text. */
export function getQuarantinedTextRoute({ quarantine }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.quarantine.get',
      summary: 'Get a quarantined text',
      description: 'Returns one quarantined text with its origin.',
      params: idParamsSchema,
      response: documentResponses({ 200: quarantinedTextWithTextSchema }, 'not-found'),
    },
    handler: async ({ params }) => toBody(quarantinedTextWithTextSchema, await requireById(quarantine, params, what)),
  });
}

/** `DELETE /api/v1/quarantine/{id}`: removes a quarantined text for good. */
export function discardQuarantinedTextRoute({ quarantine }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.quarantine.discard',
      summary: 'Discard a quarantined text',
      description:
        'Removes the text for good. After a 503 it may already be removed: repeat the request until you get 204 or 404.',
      params: idParamsSchema,
      response: documentResponses({ 204: z.null().describe('It is removed.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const id = requireId(request.params.id, what);
      const found = await getIfReadable(quarantine, id);
      if (!(await quarantine.remove(id))) throw notFound(what);
      if (found !== null) {
        const { reason, integrationId, sizeBytes } = found;
        noteAudit(request, { before: { reason, integrationId, sizeBytes } });
      }
      return reply.code(204).send();
    },
  });
}

/** Returns null also for a damaged row: it must be possible to discard it. */
async function getIfReadable(quarantine: Pick<Collection<QuarantinedText>, 'get'>, id: string) {
  try {
    return await quarantine.get(id);
  } catch (error) {
    if (error instanceof UnreadableRowError) return null;
    throw error;
  }
}
