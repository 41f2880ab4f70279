import type { ListedRow } from '@widget-service/shared/domain/page.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { HookRefusal, RefusalStore } from '@widget-service/shared/ports/refusal-store.ts';
import type { z } from 'zod';
import { defineRoute, type Route } from '../http/route.ts';
import { selectPage, toPageBody } from '../schemas/page-body.ts';
import { documentResponses } from '../schemas/problem.ts';
import { requireIntegration } from '../sources/require-integration.ts';
import { deliveriesParamsSchema } from './deliveries/delivery-resource.ts';
import { cutWebhookId } from './refusal-recorder.ts';
import { listRefusalsQuerySchema, refusalPageSchema } from './refusal-schema.ts';

export interface ListRefusalsRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'get'>;
  /** A read needs no use case, so the route calls the port. */
  readonly refusals: Pick<RefusalStore, 'list'>;
}

/** `GET /api/v1/integrations/{id}/refusals`: one page of an integration's recent refusals, the newest first. */
export function listRefusalsRoute({ integrations, refusals }: ListRefusalsRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.refusals.list',
      summary: 'List refusals',
      description:
        'Returns the recent hooks of an integration that were refused, the newest first, each with the problem that its sender got. At most 100 are kept, for at most 7 days. Each server process lists one per second and code, about a second after it happened; `unlisted` counts the others. A hook with an unknown token belongs to no integration, so it is never listed.',
      params: deliveriesParamsSchema,
      querystring: listRefusalsQuerySchema,
      response: documentResponses(
        { 200: { body: refusalPageSchema, description: 'One page of refusals.' } },
        'not-found',
      ),
    },
    handler: async ({ params, query }) => {
      // Few enough to read them all.
      const { id } = await requireIntegration(params, integrations);
      const all = await refusals.list(id);
      return toPageBody(query, selectPage(query, selectByWebhookId(all, query.webhookId)), toRefusalBody);
    },
  });
}

function selectByWebhookId(refusals: readonly ListedRow<HookRefusal>[], webhookId: string | undefined) {
  if (webhookId === undefined) return refusals;
  const stored = cutWebhookId(webhookId);
  return refusals.filter((refusal) => refusal?.webhookId === stored);
}

type RefusalBody = z.output<typeof refusalPageSchema>['items'][number];

function toRefusalBody(refusal: HookRefusal): RefusalBody {
  const { requestId, refusedAt, code, status, detail, clientAddress, webhookId, unlisted } = refusal;
  // The port has codes as plain texts, but every mistake came from this interface.
  const errors = refusal.errors as RefusalBody['errors'];
  return {
    requestId,
    refusedAt: refusedAt.toISOString(),
    code,
    status,
    detail,
    errors,
    clientAddress,
    webhookId,
    unlisted,
  };
}
