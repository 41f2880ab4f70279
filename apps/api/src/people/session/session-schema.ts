import { permissions } from '@widget-service/shared/domain/role.ts';
import { z } from 'zod';
import { newPassword, timestamp } from '../../schemas/text.ts';
import { userSchema } from '../users/user-schema.ts';

/** The body of a sign-in. Its strings have no format: a malformed e-mail or password is just a wrong one. */
export const credentialsSchema = z
  .strictObject({ email: z.string(), password: z.string() })
  .meta({ id: 'Credentials', examples: [{ email: 'kim@example.com', password: 'a password of their own' }] });

/** `currentPassword` has no format: a malformed one is just a wrong one. */
export const passwordChangeSchema = z.strictObject({ currentPassword: z.string(), newPassword }).meta({
  id: 'PasswordChange',
  examples: [{ currentPassword: 'a password of their own', newPassword: 'another one of their own' }],
});

export const sessionSchema = z
  .object({
    user: userSchema,
    permissions: z.array(z.enum(permissions)).meta({ examples: [['widgets:read', 'widgets:create']] }),
    csrfToken: z.string().meta({
      description: 'The value to send in the header `X-Csrf-Token`.',
      examples: ['a5vVPlZ0OPx0LGyAgX3DIYEC0zAnx2u9sN3rS2P0gkQ'],
    }),
    expiresAt: timestamp.describe('When the session expires at the latest. It expires earlier if it is idle for long.'),
  })
  .meta({ id: 'Session', description: 'Who is signed in, and what that user may do.' });

/** The only response that shows the token. */
export const personalStreamSchema = z
  .object({
    token: z.string().meta({ examples: ['wst_4fJ0aYb2Qm8Zk1XcV5nR7tG3hW6pLdSe0U9iOq'] }),
    url: z.string().meta({ format: 'uri', description: 'The address of the stream. It contains the token.' }),
    cursor: z
      .string()
      .nullable()
      .meta({
        description:
          'The current end of the event log. Send it as `lastEventId` to start the stream from here. Null until the server has read the event log for the first time.',
        examples: ['k3f9.1764000000000.1284'],
      }),
    expiresAt: timestamp.describe('When the token expires. It also ends with the session.'),
  })
  .meta({ id: 'PersonalStream' });
