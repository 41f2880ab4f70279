import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { type KeptSamples, type SampleStore, sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { z } from 'zod';
import { noteAudit } from '../../audit/audit.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { timestamp } from '../../schemas/text.ts';
import { requireSource, unknownIntegrationError } from '../../sources/require-integration.ts';

const keepForSecondsDefault = 3_600;

/** How long samples are kept from now on. */
const samplingSchema = z
  .strictObject({
    keepForSeconds: z
      .int()
      .refine((seconds) => seconds >= 60 && seconds <= sampleLimits.keepSecondsMax, 'Must be from 60 to 86400.')
      .default(keepForSecondsDefault)
      .describe('For how long from now, in seconds: 60 to 86400.'),
  })
  .meta({ id: 'Sampling', examples: [{ keepForSeconds: keepForSecondsDefault }] });

const sampleSchema = z
  .object({
    requestId: z.string().meta({ format: 'uuid', description: 'The `requestId` of the problem and of the log line.' }),
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

export interface SampleRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'get'>;
  /** It needs no use case, so the routes call the port. */
  readonly samples: Pick<SampleStore, 'keepUntil' | 'find' | 'delete'>;
  readonly clock: Pick<Clock, 'now'>;
}

const params = z.object({ id: z.string() });

/** `GET /api/v1/integrations/{id}/samples`: the refused requests that are kept. */
export function listSamplesRoute({ integrations, samples, clock }: SampleRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.samples.list',
      summary: 'List samples',
      description:
        'Returns requests of the sender that were refused, as they were sent, the newest first: `headers` and `body` are what a preview takes. At most 10 are kept, each with at most 64 KiB of body: per server process, one a second and code.',
      params,
      response: documentResponses({ 200: samplesSchema }, 'not-found'),
    },
    handler: async (request) => {
      const { id } = await requireSource(request.params, integrations);
      return toSamplesBody(await samples.find(id, clock.now()));
    },
  });
}

/** `PUT /api/v1/integrations/{id}/samples`: keeps samples from now on. */
export function keepSamplesRoute({ integrations, samples, clock }: SampleRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.samples.keep',
      summary: 'Keep samples',
      description:
        'Keeps refused requests of the sender for a while, so that a mapping or a secret can be corrected with them. Then all are deleted, and each one at the latest 24 hours after its arrival. To call it again changes the end. Only headers that hold neither a secret nor an address are kept; bodies are kept as they were sent. The deletion of the integration deletes them, too. The integration must have a source.',
      params,
      body: samplingSchema,
      response: documentResponses({ 200: samplesSchema }, 'not-found'),
    },
    handler: async (request) => {
      const { id, name } = await requireSource(request.params, integrations);
      const now = clock.now();
      const until = new Date(now.getTime() + request.body.keepForSeconds * 1_000);
      await samples.keepUntil(id, until);
      // The integration may have been deleted in between, with its samples.
      if ((await integrations.get(id)) === null) {
        await samples.delete(id);
        throw unknownIntegrationError();
      }
      noteAudit(request, { targetName: name, after: { keptUntil: until.toISOString() } });
      return toSamplesBody(await samples.find(id, now));
    },
  });
}

/** `DELETE /api/v1/integrations/{id}/samples`: deletes all samples, and keeps no more. */
export function deleteSamplesRoute({ integrations, samples }: SampleRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.samples.delete',
      summary: 'Delete samples',
      description: 'Deletes all samples of the integration at once, and keeps no more.',
      params,
      response: documentResponses({ 204: z.null().describe('All are deleted.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const { id, name } = await requireSource(request.params, integrations);
      await samples.delete(id);
      noteAudit(request, { targetName: name });
      return reply.code(204).send();
    },
  });
}

function toSamplesBody({ until, samples }: KeptSamples): z.output<typeof samplesSchema> {
  return {
    keptUntil: until?.toISOString() ?? null,
    items: samples
      .filter((sample) => sample !== null)
      .map(({ requestId, receivedAt, code, refusal, headers, withheldHeaders, body }) => ({
        requestId,
        receivedAt: receivedAt.toISOString(),
        code,
        refusal,
        headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]])),
        withheldHeaders: [...withheldHeaders],
        body,
      })),
  };
}
