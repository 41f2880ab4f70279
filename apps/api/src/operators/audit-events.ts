import {
  auditActions,
  auditActorKinds,
  auditOutcomes,
  auditTargetKinds,
} from '@widget-service/shared/entities/audit-event.ts';
import { z } from 'zod';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { toBody } from '../schemas/body.ts';
import { pageQuerySchema, queryTime, readPage, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { shownUuid, timestamp, uuid } from '../schemas/text.ts';

const changedMembers = z.record(z.string(), z.unknown()).nullable();

const auditEventSchema = z
  .object({
    id: shownUuid,
    occurredAt: timestamp.describe('For a request: when the service began to process it.'),
    action: z.enum(auditActions).meta({ description: 'What was done. There may be further actions at any time.' }),
    operation: z.string().nullable().meta({
      description: 'The `operationId` of the request. Null without a request, and if the event stands for several.',
    }),
    outcome: z.enum(auditOutcomes).meta({
      description:
        '`succeeded`: it took place. `refused`: it did not take place. `failed`: the service could not finish it; it may have taken place all the same.',
    }),
    code: z.string().nullable().meta({
      description: 'The code of the problem that the client got. Null if it succeeded.',
    }),
    actor: z.object({ kind: z.enum(auditActorKinds), id: shownUuid.nullable() }).meta({
      description:
        'Who did it. The `id` is null for `anonymous`, for `identity-provider`, which gave a user or a role at a sign-in, and for `system`: the service itself.',
    }),
    actorName: z.string().nullable().meta({
      description:
        "The actor's name when it happened: of a user, who without a name has the e-mail here, or of a provision token. Null if there is none, none is known, or a version of the service without this member wrote the event.",
    }),
    target: z
      .object({ kind: z.enum(auditTargetKinds), id: shownUuid })
      .nullable()
      .meta({ description: 'What it was done to. Null if there is none, or none is known.' }),
    targetName: z.string().nullable().meta({
      description:
        "The target's name after the change, as `actorName`; of a deleted target, its last one. Null also for the deliveries and quarantined texts, which have no names, and for failed sign-ins.",
    }),
    clientAddress: z.string().nullable().meta({
      description:
        'The address of the client: IPv4, or the /64 network of an IPv6 address. Null if the request came through a proxy that the service does not trust, and if the event stands for several addresses.',
    }),
    emailHmac: z.string().nullable().meta({
      description:
        'For a failed sign-in: the HMAC-SHA256 of its e-mail, in hexadecimal. Failed sign-ins with one e-mail have one value. Null for everything else.',
    }),
    before: changedMembers.meta({
      description: 'The changed members before the change. Null if there were none. Never a secret.',
    }),
    after: changedMembers.meta({
      description: 'The changed members after the change. Null if there are none. Never a secret.',
    }),
    requestId: shownUuid.nullable().meta({
      description:
        'The request in the log. For `stream.ended`, the one that opened the stream. Null without a request, and if the event stands for several.',
    }),
    unlisted: z.int().min(0).meta({
      description:
        'How many more events like this one, in about the same minute on the same server process, are not listed. Only events that did not succeed and ended streams are counted in this way. Their e-mails may differ.',
    }),
  })
  .meta({
    id: 'AuditEvent',
    description: 'Who did what, on what, from which address, when, and with which outcome.',
    examples: [
      {
        id: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
        occurredAt: '2026-03-01T10:00:01.000Z',
        action: 'user.changed',
        operation: 'example.users.update',
        outcome: 'succeeded',
        code: null,
        actor: { kind: 'user', id: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24' },
        actorName: 'Ines Moreau',
        target: { kind: 'user', id: 'c3b7a9f0-2f5e-4c1b-9a44-0f6d2f1e7b10' },
        targetName: 'Tomasz Nowak',
        clientAddress: '198.51.100.7',
        emailHmac: null,
        before: { role: 'viewer' },
        after: { role: 'editor' },
        requestId: '01a1fc9d-5f9b-7c11-8a3e-2f64f2f0a1d7',
        unlisted: 0,
      },
    ],
  });
export type AuditEventBody = z.output<typeof auditEventSchema>;

const resourceId = uuid.optional().meta({ format: 'uuid' });

const listAuditEventsQuerySchema = pageQuerySchema.extend({
  actorId: resourceId.describe('Only events of this user or provision token.'),
  action: z.enum(auditActions).optional().describe('Only events with this action.'),
  targetId: resourceId.describe('Only events about the resource with this id.'),
  from: queryTime('Only events at this time or later, in UTC.'),
  to: queryTime('Only events before this time, in UTC. Send it, so that new events do not shift further pages.'),
});

/** `GET /api/v1/audit-events`: one page of audit events, the newest first. */
export function listAuditEventsRoute({ auditEvents }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.auditEvents.list',
      summary: 'List audit events',
      description:
        'Returns who did what, the newest first. Events are kept for 400 days, unless the operator of the service has set another time. The event of a change is listed before the change is acknowledged; a refused or failed request is listed within seconds. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.',
      querystring: listAuditEventsQuerySchema,
      response: documentResponses({
        200: { body: toPageSchema(auditEventSchema), description: 'One page of audit events.' },
      }),
    },
    handler: async ({ query }) => {
      const { actorId, action, targetId, from, to } = query;
      const where = { 'actor.id': actorId, action, 'target.id': targetId, occurredAt: { atLeast: from, below: to } };
      return toPageBody(query, await readPage(auditEvents, where, query), (event) => toBody(auditEventSchema, event));
    },
  });
}
