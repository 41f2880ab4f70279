import type { GrantToken } from '@widget-service/shared/domain/grant.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { z } from 'zod';
import type { GrantResource } from './grant-resource.ts';
import {
  integrationChangesSchema,
  integrationRotationSchema,
  integrationSchema,
  issuedIntegrationSchema,
  newIntegrationSchema,
  rotatedIntegrationSchema,
} from './integration-schema.ts';

/** `/api/v1/integrations`: grants for outside systems to post hooks, with their options. */
export const integrationResource: GrantResource<Pick<Integration, 'deduplicateByContent' | 'rate'>> = {
  nouns: { singular: 'an integration', plural: 'integrations' },
  pathSegment: 'integrations',
  operationGroup: 'integrations',
  schemas: {
    creation: newIntegrationSchema,
    changes: integrationChangesSchema,
    rotation: integrationRotationSchema,
    shown: integrationSchema,
    issued: issuedIntegrationSchema,
    rotated: rotatedIntegrationSchema,
  },
  toBody: (integration): z.output<typeof integrationSchema> => ({
    id: integration.id,
    name: integration.name,
    signature: toSignature(integration.token),
    deduplicateByContent: integration.deduplicateByContent,
    rate: integration.rate,
    expiresAt: integration.expiresAt?.toISOString() ?? null,
    tokenIssuedAt: integration.tokenIssuedAt.toISOString(),
    createdAt: integration.createdAt.toISOString(),
    createdBy: integration.createdBy,
    lastReceivedAt: integration.lastUsedAt?.toISOString() ?? null,
  }),
  toPreviousBody: (
    { previousToken },
    isValid,
  ): Pick<z.output<typeof rotatedIntegrationSchema>, 'previousSignature'> => ({
    previousSignature: previousToken !== null && isValid ? toSignature(previousToken) : null,
  }),
  toTokenPath: (token) => `/api/v1/events/hooks/${token}`,
};

function toSignature({ sealedSecret }: GrantToken): 'none' | 'standard-webhooks' {
  return sealedSecret === null ? 'none' : 'standard-webhooks';
}
