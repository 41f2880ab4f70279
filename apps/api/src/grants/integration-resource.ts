import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { z } from 'zod';
import { InputError } from '../http/problem.ts';
import { toSourceBody } from '../sources/shown-source.ts';
import { rejectSecrets } from '../sources/source-schema.ts';
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
export const integrationResource: GrantResource<Pick<Integration, 'deduplicateByContent' | 'rate' | 'source'>> = {
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
    const { token, deduplicateByContent, rate, source, lastUsedAt } = grant;
    return {
      ...toGrantBody(grant, {
        signature: toSignature(token, source),
        deduplicateByContent,
        rate,
        source: source === null ? null : toSourceBody(source),
      }),
      lastReceivedAt: lastUsedAt?.toISOString() ?? null,
    };
  },
  toPreviousBody: (
    { previousToken, source },
    isValid,
  ): Pick<z.output<typeof rotatedIntegrationSchema>, 'previousSignature'> => ({
    previousSignature: previousToken !== null && isValid ? toSignature(previousToken, source) : null,
  }),
  checkRotation: ({ source }, { sourceSecrets = null }) => {
    if ((source === null) === (sourceSecrets === null)) {
      if (source !== null && sourceSecrets !== null) rejectSecrets(source, sourceSecrets);
      return;
    }
    const detail =
      source === null
        ? 'Must be left out: the integration has no source.'
        : 'Must be given: only with the old address could the secrets be read.';
    throw new InputError('invalid-request', 'The request is not valid; "errors" names what is wrong.', [
      { detail, code: source === null ? 'format' : 'required', pointer: '#/secrets' },
    ]);
  },
  toTokenPath: (token) => `/api/v1/events/hooks/${token}`,
};

function toSignature({ sealedSecret }: Integration['token'], source: Integration['source']) {
  if (source !== null) return 'source';
  return sealedSecret === null ? 'none' : 'standard-webhooks';
}
