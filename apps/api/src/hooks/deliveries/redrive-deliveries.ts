import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { forArrayLength } from '@widget-service/shared/entities/define-entity.ts';
import {
  type Redrive,
  type RedriveSelection,
  redrivesMax,
} from '@widget-service/shared/usecases/hooks/redrive-deliveries.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type FurtherChange, noteAudit } from '../../audit/audit.ts';
import { type InputError, invalidRequest } from '../../http/problem.ts';
import { idParamsSchema, requireById } from '../../http/resource.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { RouteDeps } from '../../route-deps.ts';
import { queryTime } from '../../schemas/page.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { shownUuid, uuid } from '../../schemas/text.ts';
import { toReceptionRange } from './delivery.ts';

const redriveSelectionSchema = z
  .strictObject({
    eventIds: z
      .array(uuid.meta({ format: 'uuid' }))
      .min(1, forArrayLength)
      .max(redrivesMax, forArrayLength)
      .optional()
      .describe('The event ids of the deliveries. One that is named twice counts once.'),
    state: z
      .enum(['dead'])
      .optional()
      .describe('Instead of `eventIds`: the dead deliveries, the latest received first, at most 100.'),
    from: queryTime('With `state`: only deliveries received at this time or later, in UTC.'),
    to: queryTime('With `state`: only deliveries received before this time, in UTC.'),
    after: uuid.optional().meta({
      format: 'uuid',
      description: 'With `state`: the `next` of the previous response, to go on where it ended.',
    }),
  })
  .check(({ value, issues }) => {
    if (value.eventIds === undefined && value.state === undefined) {
      issues.push({
        code: 'custom',
        message: 'Must be given, unless state is.',
        params: { mistake: 'required' },
        path: ['eventIds'],
        input: value,
      });
    }
    for (const name of ['state', 'from', 'to', 'after'] as const) {
      if (value.eventIds === undefined || value[name] === undefined) continue;
      issues.push({ code: 'custom', message: 'Must be left out with eventIds.', path: [name], input: value });
    }
    for (const name of ['from', 'to', 'after'] as const) {
      if (value.eventIds !== undefined || value.state !== undefined || value[name] === undefined) continue;
      issues.push({ code: 'custom', message: 'Must be left out without state.', path: [name], input: value });
    }
  })
  .meta({
    id: 'RedriveSelection',
    description: 'Either `eventIds`, or `state` with any of `from`, `to` and `after`.',
    examples: [
      { eventIds: ['060223bc-ebbe-8cb6-8b7f-c374291aa2b0'] },
      { state: 'dead', to: '2026-03-01T10:00:00.000Z' },
    ],
  });

const redriveSchema = z
  .object({
    eventId: shownUuid,
    outcome: z.enum(['redriven', 'not-dead', 'not-found', 'failed']).meta({
      description:
        '`redriven`: it is durably queued. `not-dead`: it is published, discarded, or being processed. `not-found`: there is no such delivery here, or its integration is deleted. `failed`: the queue did not accept it or did not answer in time; it may be queued all the same. Repeat it: however often you redrive a delivery, it takes effect once.',
    }),
  })
  .meta({ id: 'Redrive', description: 'What became of one delivery.' });

const redriveReportSchema = z
  .object({
    items: z
      .array(redriveSchema)
      .max(redrivesMax)
      .meta({ description: 'One for each delivery, in the order asked for.' }),
    next: shownUuid.nullable().meta({
      description: 'There are more dead deliveries in the range: send it as `after`. Null if there are none.',
    }),
  })
  .meta({
    id: 'RedriveReport',
    description: 'What became of each delivery. Read the deliveries again later to see whether they are published.',
    examples: [{ items: [{ eventId: '060223bc-ebbe-8cb6-8b7f-c374291aa2b0', outcome: 'redriven' }], next: null }],
  });

type SelectionBody = z.output<typeof redriveSelectionSchema>;
type Report = z.output<typeof redriveReportSchema>;

const description =
  'Puts up to 100 dead deliveries back into the queue, and says what became of each. If none could be queued because of an error, the response is that error. Each that is redriven has an audit event of its own.';

/** `POST /api/v1/integrations/{id}/deliveries/redrive`: queues dead deliveries of an integration again. */
export function redriveDeliveriesRoute(deps: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.redriveMany',
      summary: 'Redrive dead deliveries',
      description,
      params: idParamsSchema,
      body: redriveSelectionSchema,
      response: documentResponses({ 200: redriveReportSchema }, 'not-found', 'integration-backlog-full'),
    },
    handler: async (request) => {
      const { id } = await requireById(deps.integrations, request.params, 'integration');
      return redriveAll(deps, request, id, request.body);
    },
  });
}

/** `POST /api/v1/deliveries/redrive`: the same for deliveries of any integrations. */
export function redriveDeliveriesOfAllRoute(deps: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.redriveAll',
      summary: 'Redrive dead deliveries of any integrations',
      description,
      body: redriveSelectionSchema,
      response: documentResponses({ 200: redriveReportSchema }, 'integration-backlog-full'),
    },
    handler: (request) => redriveAll(deps, request, null, request.body),
  });
}

async function redriveAll(
  { redrive, metrics }: RouteDeps,
  request: FastifyRequest,
  integrationId: string | null,
  body: SelectionBody,
): Promise<Report> {
  const outcome = await redrive.redriveAll(integrationId, toSelection(body));
  if (outcome.status === 'unknown-after') throw toUnknownAfterError();
  const { redrives, next } = outcome;
  const failures = redrives.filter(({ error }) => error !== null);
  if (failures.length > 0) {
    request.log.warn(
      { requestId: request.id, err: failures[0]?.error, failed: failures.length },
      'redrive.partly_failed',
    );
  }
  metrics.deliveriesRedriven.inc(redrives.filter(({ outcome: became }) => became === 'redriven').length);
  noteAudit(request, { furtherChanges: redrives.flatMap(toAuditChange), isSkipped: true });
  return { items: redrives.map(({ eventId, outcome: became }) => ({ eventId, outcome: became })), next };
}

function toSelection(body: SelectionBody): RedriveSelection {
  if (body.eventIds !== undefined) return { eventIds: body.eventIds };
  return { dead: toReceptionRange(body), after: body.after ?? null };
}

function toUnknownAfterError(): InputError {
  const detail = 'Must be the event id of a delivery that the service has.';
  return invalidRequest({ detail, code: 'format', pointer: '#/after' });
}

/** Deliveries that were not dead or not found have no event: nothing was done to them. */
function toAuditChange({ eventId, integrationId, outcome, error }: Redrive): FurtherChange[] {
  if (outcome !== 'redriven' && outcome !== 'failed') return [];
  const failure = error === null ? {} : ({ outcome: 'failed', code: toCode(error) } as const);
  return [
    {
      action: 'delivery.redriven',
      target: { kind: 'delivery', id: eventId },
      targetName: null,
      before: null,
      after: { integrationId },
      ...failure,
    },
  ];
}

function toCode(error: Error): string {
  return error instanceof ServiceError ? error.code : 'internal';
}
