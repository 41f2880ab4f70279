import type { createIssueIntegration } from '@widget-service/shared/usecases/access/issue-token.ts';
import type { z } from 'zod';
import { publicUrlOf } from '../../http/public-url.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { issuedIntegrationSchema, newIntegrationSchema } from '../../schemas/integration.ts';
import { answers } from '../../schemas/problem.ts';

export interface CreateIntegrationRouteDeps {
  readonly issueIntegration: ReturnType<typeof createIssueIntegration>;
  readonly publicBaseUrl: string | null;
}

/** `POST /api/v1/integrations`: creates the right to post hooks, and shows its token this once. */
export function registerCreateIntegration(app: ZodApp, deps: CreateIntegrationRouteDeps): void {
  app.post('/api/v1/integrations', {
    config: { policy: { permission: 'integrations:manage' } },
    schema: {
      operationId: 'example.integrations.create',
      summary: 'Create an integration',
      security: [{ sessionCookie: [], csrfToken: [] }],
      body: newIntegrationSchema,
      response: answers({ 201: issuedIntegrationSchema }, 400, 403, 503),
    },
    handler: async (request, reply) => {
      const { integration, token } = await deps.issueIntegration(request.body);
      const body: z.output<typeof issuedIntegrationSchema> = {
        id: integration.id,
        name: integration.name,
        deduplicateByContent: integration.deduplicateByContent,
        createdAt: integration.createdAt.toISOString(),
        token,
        url: publicUrlOf(request, deps.publicBaseUrl, `/api/v1/events/hooks/${token}`),
      };
      return reply.code(201).send(body);
    },
  });
}
