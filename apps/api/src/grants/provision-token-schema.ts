import { type Permission, permissions } from '@widget-service/shared/domain/role.ts';
import { z } from 'zod';
import { forArrayLength, timestamp } from '../schemas/text.ts';
import { grantChangeMembers, grantHead, grantTail, newGrantMembers, tokenMember } from './grant-schema.ts';

/** The permissions that a provision token may have. */
const grantablePermissions = ['widgets:create'] as const satisfies readonly Permission[];

const chosenPermissions = z
  .array(z.enum(grantablePermissions))
  .min(1, forArrayLength)
  .transform((value): readonly Permission[] => [...new Set(value)])
  .nullable()
  .transform((value) => value ?? [...grantablePermissions]);

export const newProvisionTokenSchema = z
  .strictObject({
    ...newGrantMembers,
    permissions: chosenPermissions
      .optional()
      .transform((value) => value ?? [...grantablePermissions])
      .meta({ default: [...grantablePermissions] }),
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
  lastUsedAt: timestamp.nullable().describe('When it was last used, accurate to a minute.'),
});

export const provisionTokenSchema = provisionTokenShape.meta({
  id: 'ProvisionToken',
  description: 'A grant to create widgets without signing in.',
});

/** Only this response, of a create or a rotation, shows the token. */
export const issuedProvisionTokenSchema = provisionTokenShape.extend(tokenMember).meta({ id: 'IssuedProvisionToken' });
