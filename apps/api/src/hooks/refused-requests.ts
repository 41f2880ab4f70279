import type { Integration } from '@widget-service/shared/entities/grant.ts';
import { type HookRefusal, refusalLimits, sampleLimits } from '@widget-service/shared/entities/refused-request.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { idParamsSchema, requireById, requireFound } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { toBody } from '../schemas/body.ts';
import { pageQuerySchema, queryWebhookId, readPage, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses, mistakeSchema } from '../schemas/problem.ts';
import { shownUuid, timestamp } from '../schemas/text.ts';
import { requireSource } from '../sources/read-source.ts';
import { cutWebhookId, endOfSample } from './intake-recorder.ts';

/** One refused hook, with the problem that its sender got. */
const refusalSchema = z
  .object({
    requestId: shownUuid.describe('The `requestId` of the problem and of the log line.'),
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
        'How many more hooks the same server process refused with this code and did not list: in the same second, or before, while their client network had used up its share of the list (20, then one a minute).',
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

/** `GET /api/v1/integrations/{id}/refusals`: one page of an integration's recent refusals, the newest first. */
export function listRefusalsRoute({ integrations, refusals }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.refusals.list',
      summary: 'List refusals',
      description:
        'Returns the recent hooks of an integration that were refused, the newest first, each with the problem that its sender got. At most 100 are kept, for at most 7 days. Each server process lists one per second and code, about a second after it happened; `unlisted` counts the others. A hook with an unknown token belongs to no integration, so it is never listed.',
      params: idParamsSchema,
      querystring: listRefusalsQuerySchema,
      response: documentResponses(
        { 200: { body: refusalPageSchema, description: 'One page of refusals.' } },
        'not-found',
      ),
    },
    handler: async ({ params, query }) => {
      const { id: integrationId } = await requireById(integrations, params, 'integration');
      const webhookId = query.webhookId === undefined ? undefined : cutWebhookId(query.webhookId);
      return toPageBody(query, await readPage(refusals, { integrationId, webhookId }, query), toRefusalBody);
    },
  });
}

type RefusalBody = z.output<typeof refusalSchema>;

function toRefusalBody(refusal: HookRefusal): RefusalBody {
  // The store has codes as plain texts, but every mistake came from this interface.
  return toBody(refusalSchema, { ...refusal, errors: refusal.errors as RefusalBody['errors'] });
}

const keepForSecondsDefault = 3_600;

/** How long samples are kept from now on. */
const samplingSchema = z
  .strictObject({
    keepForSeconds: z
      .int()
      .refine((seconds) => seconds >= 60 && seconds <= sampleLimits.keepMs / 1_000, 'Must be from 60 to 86400.')
      .default(keepForSecondsDefault)
      .describe('For how long from now, in seconds: 60 to 86400.'),
  })
  .meta({ id: 'Sampling', examples: [{ keepForSeconds: keepForSecondsDefault }] });

const sampleSchema = z
  .object({
    requestId: shownUuid.describe('The `requestId` of the problem and of the log line.'),
    receivedAt: timestamp,
    code: z.string().meta({ description: 'The code of the problem that the sender got.' }),
    refusal: z
      .object({
        step: z.string(),
        reason: z.string(),
        pointer: z.string().optional(),
        header: z.string().optional(),
      })
      .describe('The step that failed, as a preview says it.'),
    headers: z
      .record(z.string(), z.array(z.string()))
      .describe('The values of each header, as a preview takes them, without `withheldHeaders`.'),
    withheldHeaders: z
      .array(z.string())
      .describe(
        'The names of the other headers: they may hold a secret, or the address of a client. To see one, let the mapping read it.',
      ),
    body: z.string().describe('The body as it was sent. It may hold personal data.'),
  })
  .meta({ id: 'HookSample', description: 'A refused request of a foreign sender, as it was sent.' });

const samplesSchema = z
  .object({
    keptUntil: timestamp.nullable().describe('Until when samples are kept; then all are deleted. Null: none are kept.'),
    items: z.array(sampleSchema).max(sampleLimits.perIntegration).describe('The newest first.'),
  })
  .meta({
    id: 'HookSamples',
    description: 'Refused requests of the sender of an integration.',
    examples: [
      {
        keptUntil: '2026-03-01T11:00:00.000Z',
        items: [
          {
            requestId: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
            receivedAt: '2026-03-01T10:00:01.000Z',
            code: 'hook-not-mappable',
            refusal: { step: 'widgetId', reason: 'there is no text', pointer: '#/repository/full_name' },
            headers: { 'content-type': ['application/json'], 'x-github-event': ['ping'] },
            withheldHeaders: [],
            body: '{"zen":"Keep it logically awesome."}',
          },
        ],
      },
    ],
  });

/** `GET /api/v1/integrations/{id}/samples`: the refused requests that are kept. */
export function listSamplesRoute({ integrations, samples, clock }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.samples.list',
      summary: 'List samples',
      description:
        'Returns requests of the sender that were refused, as they were sent, the newest first: `headers` and `body` are what a preview takes. At most 10 are kept. Each server process adds at most one a second and code, and none with a body above 64 KiB.',
      params: idParamsSchema,
      response: documentResponses({ 200: samplesSchema }, 'not-found'),
    },
    handler: async (request) => toSamplesBody(await requireSource(integrations, request.params), samples, clock.now()),
  });
}

/** `PUT /api/v1/integrations/{id}/samples`: keeps samples from now on. */
export function keepSamplesRoute({ integrations, manageIntegrations, samples, clock }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.samples.keep',
      summary: 'Keep samples',
      description:
        'Keeps refused requests of the sender for a while, so that a mapping or a secret can be corrected with them. Then all are deleted, and each one at the latest 24 hours after its arrival. To call it again changes the end. Only headers that hold neither a secret nor an address are kept; bodies are kept as they were sent. The deletion of the integration deletes them, too. The integration must have a source.',
      params: idParamsSchema,
      body: samplingSchema,
      response: documentResponses({ 200: samplesSchema }, 'not-found'),
    },
    handler: async (request) => {
      const before = await requireSource(integrations, request.params);
      const now = clock.now();
      const { id: integrationId } = before;
      // The store removes an expired entity some time later.
      if (findEnd(before, now) === null) await samples.removeAll({ integrationId });
      const until = new Date(now.getTime() + request.body.keepForSeconds * 1_000);
      const after = requireFound(
        await manageIntegrations.change(integrationId, { samplesKeptUntil: until }),
        'integration',
      );
      for (const { requestId } of await listKept(after, samples, now)) {
        await samples.change(requestId, ({ refusedAt }) => ({ expiresAt: endOfSample(refusedAt, until) }));
      }
      noteAudit(request, { targetName: after.name, after: { keptUntil: until.toISOString() } });
      return toSamplesBody(after, samples, now);
    },
  });
}

/** `DELETE /api/v1/integrations/{id}/samples`: deletes all samples, and keeps no more. */
export function deleteSamplesRoute({ integrations, manageIntegrations, samples }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.samples.delete',
      summary: 'Delete samples',
      description: 'Deletes all samples of the integration at once, and keeps no more.',
      params: idParamsSchema,
      response: documentResponses({ 204: z.null().describe('All are deleted.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const { id: integrationId, name } = await requireSource(integrations, request.params);
      // Before the removal: a pod that adds one later finds that none is wanted, and removes it.
      await manageIntegrations.change(integrationId, { samplesKeptUntil: null });
      await samples.removeAll({ integrationId });
      noteAudit(request, { targetName: name });
      return reply.code(204).send();
    },
  });
}

type Kept = Pick<Integration, 'id' | 'samplesKeptUntil'>;

function findEnd({ samplesKeptUntil }: Kept, now: Date): Date | null {
  return samplesKeptUntil !== null && samplesKeptUntil > now ? samplesKeptUntil : null;
}

async function listKept(integration: Kept, samples: Pick<RouteDeps['samples'], 'list'>, now: Date) {
  if (findEnd(integration, now) === null) return [];
  const kept = { integrationId: integration.id, expiresAt: { above: now } };
  const listed = await samples.list(kept, { offset: 0, limit: sampleLimits.perIntegration });
  return listed.filter((sample) => sample !== null);
}

async function toSamplesBody(integration: Kept, samples: Pick<RouteDeps['samples'], 'list'>, now: Date) {
  const kept = await listKept(integration, samples, now);
  return {
    keptUntil: findEnd(integration, now)?.toISOString() ?? null,
    items: kept.map((sample) => toBody(sampleSchema, { ...sample, receivedAt: sample.refusedAt })),
  };
}
