import { type Permission, permissions } from '@widget-service/shared/domain/role.ts';
import { z } from 'zod';
import {
  grantChangeMembers,
  grantHead,
  grantTail,
  newGrantMembers,
  previousExpiresAtMember,
  tokenMember,
} from './grant.ts';
import { forArrayLength, timestamp } from './text.ts';

/** All that a provision token can be given: what scripts are trusted with. */
const grantable = ['widgets:create'] as const satisfies readonly Permission[];

const chosenPermissions = z
  .array(z.enum(grantable))
  .min(1, forArrayLength)
  .transform((given): readonly Permission[] => [...new Set(given)])
  .nullable()
  .transform((given) => given ?? [...grantable]);

export const newProvisionTokenSchema = z
  .strictObject({
    ...newGrantMembers,
    permissions: chosenPermissions
      .optional()
      .transform((given) => given ?? [...grantable])
      .meta({ default: [...grantable] }),
  })
  .transform((input) => ({ input, isSigned: false }))
  .meta({ id: 'NewProvisionToken', examples: [{ name: 'Importer' }] });

export const provisionTokenChangesSchema = z
  .strictObject({ ...grantChangeMembers, permissions: chosenPermissions.exactOptional() })
  .meta({ id: 'ProvisionTokenChanges', examples: [{ name: 'Importer' }] });

const provisionTokenShape = z.object({
  ...grantHead,
  permissions: z.array(z.enum(permissions)).meta({ examples: [['widgets:create']] }),
  ...grantTail,
  lastUsedAt: timestamp.nullable().describe('When it was last used, to the minute.'),
});

export const provisionTokenSchema = provisionTokenShape.meta({
  id: 'ProvisionToken',
  description: 'The right to create widgets without signing in.',
});

/** With `rotatedProvisionTokenSchema` the only answers that ever show the token. */
const issuedShape = provisionTokenShape.extend(tokenMember);
export const issuedProvisionTokenSchema = issuedShape.meta({ id: 'IssuedProvisionToken' });
export const rotatedProvisionTokenSchema = issuedShape
  .extend(previousExpiresAtMember)
  .meta({ id: 'RotatedProvisionToken' });
