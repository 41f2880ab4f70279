import type { ProvisionToken } from '@widget-service/shared/ports/grant-store.ts';
import type { z } from 'zod';
import type { GrantResource } from './grant-resource.ts';
import { rotationSchema } from './grant-schema.ts';
import {
  issuedProvisionTokenSchema,
  newProvisionTokenSchema,
  provisionTokenChangesSchema,
  provisionTokenSchema,
  rotatedProvisionTokenSchema,
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
    rotated: rotatedProvisionTokenSchema,
  },
  toBody: ({
    id,
    name,
    permissions,
    expiresAt,
    tokenIssuedAt,
    createdAt,
    createdBy,
    lastUsedAt,
  }): z.output<typeof provisionTokenSchema> => ({
    id,
    name,
    permissions: [...permissions],
    expiresAt: expiresAt?.toISOString() ?? null,
    tokenIssuedAt: tokenIssuedAt.toISOString(),
    createdAt: createdAt.toISOString(),
    createdBy,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }),
  toTokenPath: null,
};
