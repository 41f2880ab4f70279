import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { makeIssuePersonalStream } from '@widget-service/shared/usecases/access/issue-personal-stream.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { makeTakeLocally } from '../caller/limits/local-limit.ts';
import { toRateLimitedError } from '../caller/limits/rate-limit-headers.ts';
import { requirePrincipalId, requireSession } from '../caller/policy.ts';
import { toPublicUrl } from '../http/forwarding.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { documentResponses } from '../schemas/problem.ts';
import { personalStreamSchema } from './session-schema.ts';

/** A page needs one an hour, and one each time it is loaded. Each has an audit event, which is kept for long. */
const issueLimit: RateLimit = { ratePerSecond: 0.1, burst: 120 };

export interface IssuePersonalStreamRouteDeps {
  readonly issuePersonalStream: ReturnType<typeof makeIssuePersonalStream>;
  readonly publicBaseUrl: string | null;
}

/** `POST /api/v1/session/stream`: issues a stream token for the signed-in user. It ends with the session. */
export function issuePersonalStreamRoute(deps: IssuePersonalStreamRouteDeps): Route {
  const mayIssue = makeTakeLocally(issueLimit);
  return defineRoute({
    schema: {
      operationId: 'example.session.createStream',
      summary: 'Create a personal stream token',
      description:
        'For a page that shows the widgets as they change. The token is valid for one hour at most, and ends with the session. A user has at most 100 live tokens: beyond that, the oldest one ends, and its streams with it. This response is the only one that shows it.',
      body: z.strictObject({}).optional(),
      response: documentResponses({ 201: personalStreamSchema }),
    },
    handler: async (request, reply) => {
      if (!mayIssue(requirePrincipalId(request), performance.now())) {
        throw toRateLimitedError(reply, 'api', { limit: issueLimit, retryAfterMs: 10_000, resetAfterMs: 1_200_000 });
      }
      const { token, resumeFrom, expiresAt } = await deps.issuePersonalStream(requireSession(request).session);
      noteAudit(request, { after: { expiresAt: expiresAt.toISOString() } });
      const body: z.output<typeof personalStreamSchema> = {
        token,
        url: toPublicUrl(request, deps.publicBaseUrl, `/api/v1/events/${token}`),
        cursor: resumeFrom === null ? null : formatPosition(resumeFrom),
        expiresAt: expiresAt.toISOString(),
      };
      return reply.code(201).send(body);
    },
  });
}
