import type { ListedRow } from '@widget-service/shared/domain/page.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { type HookRefusal, type RefusalStore, refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import { z } from 'zod';
import { defineRoute, type Route } from '../http/route.ts';
import { pageQuerySchema, queryWebhookId, toPageSchema } from '../schemas/page.ts';
import { selectPage, toPageBody } from '../schemas/page-body.ts';
import { documentResponses, mistakeSchema } from '../schemas/problem.ts';
import { timestamp } from '../schemas/text.ts';
import { requireIntegration } from '../sources/require-integration.ts';
import { deliveriesParamsSchema } from './deliveries/delivery-resource.ts';
import { cutWebhookId } from './refusal-recorder.ts';

/** One refused hook, with the problem that its sender got. */
const refusalSchema = z
  .object({
    requestId: z.string().meta({ format: 'uuid', description: 'The `requestId` of the problem and of the log line.' }),
    refusedAt: timestamp,
    code: z.string().meta({ description: 'The code of the problem. `/problems` explains every code.' }),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: 'The `detail` of the problem.' }),
    errors: z.array(mistakeSchema).max(20).meta({ description: 'The `errors` of the problem; empty if it had none.' }),
    clientAddress: z.string().nullable().meta({
      description:
        'The address of the sender: IPv4, or the /64 network of an IPv6 address. Null if the request came through a proxy that the service does not trust.',
    }),
    webhookId: z
      .string()
      .max(refusalLimits.webhookIdLength)
      .nullable()
      .meta({ description: 'The `webhook-id` that was sent, cut to 256 characters. Null if there was none.' }),
    unlisted: z.int().min(0).meta({
      description:
        'How many more hooks the same server process refused with this code in the same second. They are not listed.',
    }),
  })
  .meta({
    id: 'Refusal',
    description: 'A refused hook, with the problem that its sender got. It holds neither the token nor the body.',
    examples: [
      {
        requestId: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
        refusedAt: '2026-03-01T10:00:01.000Z',
        code: 'invalid-request',
        status: 400,
        detail: 'The request is not valid; "errors" names what is wrong.',
        errors: [{ detail: 'Must be given.', code: 'required', pointer: '#/occurredAt' }],
        clientAddress: '198.51.100.7',
        webhookId: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
        unlisted: 41,
      },
    ],
  });

const listRefusalsQuerySchema = pageQuerySchema.extend({
  webhookId: queryWebhookId.describe(
    'Only refusals of hooks with this `webhook-id`. A refusal stores its first 256 characters, so only these count.',
  ),
});
const refusalPageSchema = toPageSchema(refusalSchema);

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
