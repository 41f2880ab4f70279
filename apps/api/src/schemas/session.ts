import { permissions, roles } from '@widget-service/shared/domain/role.ts';
import { z } from 'zod';
import { timestamp } from './text.ts';

/** What is sent to sign in. Its form is not checked further: a wrong one is just a wrong one. */
export const credentialsSchema = z.strictObject({ email: z.string(), password: z.string() });

const userSchema = z.object({
  id: z.string().meta({ format: 'uuid' }),
  email: z.string(),
  role: z.enum(roles),
  disabled: z.boolean(),
  createdAt: timestamp,
  lastSignInAt: timestamp.nullable(),
});

export const sessionSchema = z.object({
  user: userSchema,
  permissions: z.array(z.enum(permissions)),
  csrfToken: z.string(),
  expiresAt: timestamp,
});
