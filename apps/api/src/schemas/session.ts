import { permissions } from '@widget-service/shared/domain/role.ts';
import { z } from 'zod';
import { newPassword, timestamp } from './text.ts';
import { userSchema } from './user.ts';

/** What is sent to sign in. Its form is not checked further: a wrong one is just a wrong one. */
export const credentialsSchema = z
  .strictObject({ email: z.string(), password: z.string() })
  .meta({ id: 'Credentials', examples: [{ email: 'kim@example.com', password: 'a password of their own' }] });

/** The current one's form is not checked: a wrong one is just a wrong one. */
export const passwordChangeSchema = z.strictObject({ currentPassword: z.string(), newPassword }).meta({
  id: 'PasswordChange',
  examples: [{ currentPassword: 'a password of their own', newPassword: 'another one of their own' }],
});

export const sessionSchema = z
  .object({
    user: userSchema,
    permissions: z.array(z.enum(permissions)).meta({ examples: [['widgets:read', 'widgets:create']] }),
    csrfToken: z.string().meta({
      description: 'For the header `X-Csrf-Token`.',
      examples: ['a5vVPlZ0OPx0LGyAgX3DIYEC0zAnx2u9sN3rS2P0gkQ'],
    }),
    expiresAt: timestamp.describe('When the session ends at the latest; it ends earlier when it is idle for long.'),
  })
  .meta({ id: 'Session', description: 'Who is signed in, and what they may do.' });

/** The only answer that ever shows the token. */
export const personalStreamSchema = z
  .object({
    token: z.string().meta({ examples: ['wst_4fJ0aYb2Qm8Zk1XcV5nR7tG3hW6pLdSe0U9iOq'] }),
    url: z.string().meta({ format: 'uri', description: 'The address of the stream, which holds the token.' }),
    cursor: z
      .string()
      .nullable()
      .meta({
        description: 'Where the stream stands now (`lastEventId`); null when no position is known yet.',
        examples: ['k3f9.1764000000000.1284'],
      }),
    expiresAt: timestamp.describe('When the token ends; it ends with the session too.'),
  })
  .meta({ id: 'PersonalStream' });
