import type { createIssueSubscription } from '@widget-service/shared/usecases/access/issue-token.ts';
import type { z } from 'zod';
import { publicUrlOf } from '../../http/public-url.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { issuedSubscriptionSchema, newSubscriptionSchema } from '../../schemas/subscription.ts';

export interface CreateSubscriptionRouteDeps {
  readonly issueSubscription: ReturnType<typeof createIssueSubscription>;
  readonly publicBaseUrl: string | null;
}

/** `POST /api/v1/subscriptions`: creates the right to stream, and shows its token this once. */
export function registerCreateSubscription(app: ZodApp, deps: CreateSubscriptionRouteDeps): void {
  app.post('/api/v1/subscriptions', {
    config: { policy: { permission: 'subscriptions:manage' } },
    schema: {
      operationId: 'example.subscriptions.create',
      summary: 'Create a subscription',
      security: [{ sessionCookie: [], csrfToken: [] }],
      body: newSubscriptionSchema,
      response: answers({ 201: issuedSubscriptionSchema }, 400, 403, 503),
    },
    handler: async (request, reply) => {
      const { subscription, token } = await deps.issueSubscription(request.body);
      const body: z.output<typeof issuedSubscriptionSchema> = {
        id: subscription.id,
        name: subscription.name,
        createdAt: subscription.createdAt.toISOString(),
        token,
        url: publicUrlOf(request, deps.publicBaseUrl, `/api/v1/events/${token}`),
      };
      return reply.code(201).send(body);
    },
  });
}
