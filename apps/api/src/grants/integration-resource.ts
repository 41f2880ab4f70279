import type { GrantToken } from '@widget-service/shared/domain/grant.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { z } from 'zod';
import type { GrantResource } from './grant-resource.ts';
import { toGrantBody } from './grant-schema.ts';
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
  toBody: (grant): z.output<typeof integrationSchema> => {
    const { token, deduplicateByContent, rate, lastUsedAt } = grant;
    return {
      ...toGrantBody(grant, { signature: toSignature(token), deduplicateByContent, rate }),
      lastReceivedAt: lastUsedAt?.toISOString() ?? null,
    };
  },
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
