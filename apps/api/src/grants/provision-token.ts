import { type Permission, permissions } from '@widget-service/shared/domain/role.ts';
import { forArrayLength } from '@widget-service/shared/entities/define-entity.ts';
import type { ProvisionToken } from '@widget-service/shared/entities/grant.ts';
import { z } from 'zod';
import {
  describeShown,
  type GrantResource,
  grantChangeMembers,
  newGrantMembers,
  rotationSchema,
} from './grant-schema.ts';

/** The permissions that a provision token may have. */
const grantablePermissions = ['widgets:create'] as const satisfies readonly Permission[];

/** Null means all that may be granted, also in a change. A permission given twice counts once. */
const chosenPermissions = z
  .array(z.enum(grantablePermissions))
  .min(1, forArrayLength)
  .transform((value): readonly Permission[] => [...new Set(value)])
  .nullable()
  .transform((value) => value ?? [...grantablePermissions]);

const { shown, issued, toBody } = describeShown({
  id: 'ProvisionToken',
  description: 'A grant to create widgets without signing in.',
  own: { permissions: z.array(z.enum(permissions)).meta({ examples: [['widgets:create']] }) },
  lastUse: 'lastUsedAt',
  lastUseText: 'When it was last used, accurate to a minute.',
  secrets: {},
});

/** `/api/v1/provision-tokens`: tokens with which scripts create widgets, as `Authorization: Bearer`. */
export const provisionTokenResource: GrantResource<Pick<ProvisionToken, 'permissions'>> = {
  singular: 'a provision token',
  pathSegment: 'provision-tokens',
  operationGroup: 'provisionTokens',
  schemas: {
    creation: z
      .strictObject({
        ...newGrantMembers,
        permissions: chosenPermissions
          .optional()
          .transform((value) => value ?? [...grantablePermissions])
          .meta({ default: [...grantablePermissions] }),
      })
      // It has no signing secret.
      .transform((input) => ({ input, isSigned: false }))
      .meta({ id: 'NewProvisionToken', examples: [{ name: 'Importer' }] }),
    changes: z
      .strictObject({ ...grantChangeMembers, permissions: chosenPermissions.exactOptional() })
      .meta({ id: 'ProvisionTokenChanges', examples: [{ name: 'Importer' }] }),
    rotation: rotationSchema,
    shown,
    issued,
  },
  toBody,
  toTokenPath: null,
};
