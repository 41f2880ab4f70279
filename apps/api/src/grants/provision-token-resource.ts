import type { ProvisionToken } from '@widget-service/shared/entities/grant.ts';
import type { z } from 'zod';
import type { GrantResource } from './grant-resource.ts';
import { rotationSchema, toGrantBody } from './grant-schema.ts';
import {
  issuedProvisionTokenSchema,
  newProvisionTokenSchema,
  provisionTokenChangesSchema,
  provisionTokenSchema,
} from './provision-token-schema.ts';

/** `/api/v1/provision-tokens`: tokens with which scripts create widgets, as `Authorization: Bearer`. */
export const provisionTokenResource: GrantResource<Pick<ProvisionToken, 'permissions'>> = {
  nouns: { singular: 'a provision token', plural: 'provision tokens' },
  pathSegment: 'provision-tokens',
  operationGroup: 'provisionTokens',
  schemas: {
    creation: newProvisionTokenSchema,
    changes: provisionTokenChangesSchema,
    rotation: rotationSchema,
    shown: provisionTokenSchema,
    issued: issuedProvisionTokenSchema,
    rotated: issuedProvisionTokenSchema,
  },
  toBody: (grant): z.output<typeof provisionTokenSchema> => ({
    ...toGrantBody(grant, { permissions: [...grant.permissions] }),
    lastUsedAt: grant.lastUsedAt?.toISOString() ?? null,
  }),
  toTokenPath: null,
};
