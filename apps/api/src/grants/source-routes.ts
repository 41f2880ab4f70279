import { pickChangedMembers } from '@widget-service/shared/entities/audit-event.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { idParamsSchema, requireFound } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { documentResponses } from '../schemas/problem.ts';
import { requireSource } from '../sources/read-source.ts';
import { completeMapping } from '../sources/sender-presets.ts';
import { newMappingSchema, rejectSecrets, secretsSchema } from '../sources/source-schema.ts';
import { integrationResource, integrationSchema } from './integration.ts';

/** `PUT /api/v1/integrations/{id}/source/mapping`: replaces the mapping. Accepted hooks are mapped already. */
export function changeMappingRoute({ integrations, manageIntegrations }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.integrations.changeMapping',
      summary: 'Change the mapping of an integration',
      description:
        'Replaces the whole mapping. It applies to requests that arrive from then on, on every pod within 2 seconds. A hook that was accepted before was mapped before.',
      params: idParamsSchema,
      body: newMappingSchema,
      response: documentResponses({ 200: integrationSchema }, 'not-found'),
    },
    handler: async (request) => {
      const { id, source } = await requireSource(integrations, request.params);
      const changed = { ...source, mapping: completeMapping(source.preset, request.body) };
      const integration = requireFound(await manageIntegrations.change(id, { source: changed }), 'integration');
      const members = pickChangedMembers({ mapping: source.mapping }, { mapping: changed.mapping });
      noteAudit(request, { targetName: integration.name, ...members });
      return integrationResource.toBody(integration);
    },
  });
}

/** `PUT /api/v1/integrations/{id}/source/secrets`: replaces the secrets of the sender. The address stays. */
export function replaceSecretsRoute({ integrations, replaceSourceSecrets }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.integrations.replaceSecrets',
      summary: 'Replace the secrets of an integration',
      description:
        'Replaces all secrets of the source, on every pod within 2 seconds. To change the secret of a sender without a refused hook: send the new one and the old one, change it at the sender, then send the new one alone.',
      params: idParamsSchema,
      body: z
        .strictObject({ secrets: secretsSchema })
        .meta({ id: 'SourceSecrets', examples: [{ secrets: ['the new secret', 'the old secret'] }] }),
      response: documentResponses({ 200: integrationSchema }, 'not-found'),
    },
    handler: async (request) => {
      const { id, source } = await requireSource(integrations, request.params);
      const { secrets } = request.body;
      rejectSecrets(source, secrets);
      const integration = requireFound(await replaceSourceSecrets(id, secrets), 'integration');
      noteAudit(request, { targetName: integration.name, after: { secrets: `${secrets.length} replaced` } });
      return integrationResource.toBody(integration);
    },
  });
}
