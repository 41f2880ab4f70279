import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type {
  makeRedriveDeliveries,
  Redrive,
  RedriveSelection,
} from '@widget-service/shared/usecases/hooks/redrive-deliveries.ts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type FurtherChange, noteAudit } from '../../audit/audit.ts';
import { InputError } from '../../http/problem.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { requireIntegration } from '../../sources/require-integration.ts';
import { deliveriesParamsSchema, toReceptionRange } from './delivery-resource.ts';
import { redriveReportSchema, redriveSelectionSchema } from './redrive-schema.ts';

export interface RedriveDeliveriesRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'get'>;
  readonly redriveDeliveries: ReturnType<typeof makeRedriveDeliveries>;
  readonly metrics: Pick<Metrics, 'deliveriesRedriven'>;
}

type SelectionBody = z.output<typeof redriveSelectionSchema>;
type Report = z.output<typeof redriveReportSchema>;

const description =
  'Puts up to 100 dead deliveries back into the queue, and says what became of each. If none could be queued because of an error, the response is that error. Each that is redriven has an audit event of its own.';

/** `POST /api/v1/integrations/{id}/deliveries/redrive`: queues dead deliveries of an integration again. */
export function redriveDeliveriesRoute(deps: RedriveDeliveriesRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.redriveMany',
      summary: 'Redrive dead deliveries',
      description,
      params: deliveriesParamsSchema,
      body: redriveSelectionSchema,
      response: documentResponses({ 200: redriveReportSchema }, 'not-found', 'integration-backlog-full'),
    },
    handler: async (request) => {
      const { id } = await requireIntegration(request.params, deps.integrations);
      return redriveAll(deps, request, id, request.body);
    },
  });
}

/** `POST /api/v1/deliveries/redrive`: the same for deliveries of any integrations. */
export function redriveDeliveriesOfAllRoute(deps: RedriveDeliveriesRouteDeps): Route {
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
  { redriveDeliveries, metrics }: RedriveDeliveriesRouteDeps,
  request: FastifyRequest,
  integrationId: string | null,
  body: SelectionBody,
): Promise<Report> {
  const outcome = await redriveDeliveries(integrationId, toSelection(body));
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
  return new InputError('invalid-request', 'The request is not valid; "errors" names what is wrong.', [
    { detail: 'Must be the event id of a delivery that the service has.', code: 'format', pointer: '#/after' },
  ]);
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
