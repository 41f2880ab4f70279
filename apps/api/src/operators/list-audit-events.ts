import type { StoredAuditEvent } from '@widget-service/shared/entities/audit-event.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { listCountedPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { toPageBody } from '../schemas/page-body.ts';
import { documentResponses } from '../schemas/problem.ts';
import { type AuditEventBody, auditEventPageSchema, listAuditEventsQuerySchema } from './audit-event-schema.ts';

export interface ListAuditEventsRouteDeps {
  readonly auditEvents: Pick<Collection<StoredAuditEvent>, 'list' | 'count'>;
}

/** `GET /api/v1/audit-events`: one page of audit events, the newest first. */
export function listAuditEventsRoute({ auditEvents }: ListAuditEventsRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.auditEvents.list',
      summary: 'List audit events',
      description:
        'Returns who did what, the newest first. Events are kept for 400 days, unless the operator of the service has set another time. The event of a change is listed before the change is acknowledged; a refused or failed request is listed within seconds. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.',
      querystring: listAuditEventsQuerySchema,
      response: documentResponses({ 200: { body: auditEventPageSchema, description: 'One page of audit events.' } }),
    },
    handler: async ({ query }) => {
      const { actorId, action, targetId, from, to } = query;
      const where = { 'actor.id': actorId, action, 'target.id': targetId, occurredAt: { atLeast: from, below: to } };
      return toPageBody(query, await listCountedPage(auditEvents, where, query), toAuditEventBody);
    },
  });
}

function toAuditEventBody({ occurredAt, before, after, expiresAt: _, ...event }: StoredAuditEvent): AuditEventBody {
  return {
    ...event,
    occurredAt: occurredAt.toISOString(),
    before: before === null ? null : { ...before },
    after: after === null ? null : { ...after },
  };
}
