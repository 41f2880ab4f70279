import { roles } from '@widget-service/shared/domain/role.ts';
import { findPasswordEnd, type User } from '@widget-service/shared/entities/user.ts';
import { z } from 'zod';
import { toBody } from '../schemas/body.ts';
import { toPageSchema } from '../schemas/page.ts';
import { displayText, emailAddress, newPassword, timestamp } from '../schemas/text.ts';

const name = displayText(1, 200);

/** The body that creates a user. The default role is the one with the fewest permissions. */
export const newUserSchema = z
  .strictObject({
    email: emailAddress,
    password: newPassword,
    name: name
      .nullish()
      .transform((value) => value ?? null)
      .meta({
        default: null,
        description:
          'A name for people: 1 to 200 characters after trimming, without control characters and invisible ones.',
      }),
    role: z
      .enum(roles)
      .nullish()
      .transform((value) => value ?? 'viewer')
      .meta({ default: 'viewer' }),
  })
  .meta({
    id: 'NewUser',
    description: 'A user to create.',
    examples: [{ email: 'kim@example.com', password: 'a password of their own', name: 'Kim Doe', role: 'editor' }],
  });

/** The body that changes a user. Missing members keep their value. So do null ones, but a null `name` removes it. */
export const userChangesSchema = z
  .strictObject({
    name: name.nullable().exactOptional().meta({ description: 'Null removes the name.' }),
    role: z.enum(roles).nullish(),
    disabled: z.boolean().nullish(),
    password: newPassword.nullish(),
  })
  .meta({ id: 'UserChanges', examples: [{ role: 'admin' }] });

const identitySchema = z
  .object({
    issuer: z.string().meta({ format: 'uri', description: 'The issuer identifier of the identity provider.' }),
    subject: z.string().meta({ description: 'The `sub` of the user at this issuer.' }),
  })
  .meta({
    id: 'Identity',
    examples: [{ issuer: 'https://id.example.com/realms/main', subject: '24400320' }],
  });

export const userSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    email: z.string(),
    name: z.string().nullable().describe('A name for people; null: none.'),
    role: z.enum(roles),
    disabled: z.boolean(),
    mustChangePassword: z.boolean().meta({
      description: 'An admin has set the password: until the user changes it, everything else gets 403.',
    }),
    passwordExpiresAt: timestamp.optional().meta({
      description:
        'When the password ends that an admin has set, unless the user signs in before: 7 days later. Left out: it has no end, because the user has chosen it or has none.',
    }),
    identity: identitySchema.nullable().meta({
      description: 'Who the user is at the identity provider. Null for a user who signs in with a password.',
    }),
    createdAt: timestamp,
    lastSignInAt: timestamp.nullable(),
  })
  .meta({
    id: 'User',
    description: 'A person who may sign in, unless `disabled`.',
    examples: [
      {
        id: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24',
        email: 'kim@example.com',
        name: 'Kim Doe',
        role: 'editor',
        disabled: false,
        mustChangePassword: true,
        passwordExpiresAt: '2026-02-08T08:00:00.000Z',
        identity: null,
        createdAt: '2026-02-01T08:00:00.000Z',
        lastSignInAt: null,
      },
    ],
  });
export const userPageSchema = toPageSchema(userSchema);

/** Converts a user to the form that the API returns. It never contains the password hash. */
export function toUserBody(user: User): z.output<typeof userSchema> {
  const { identity = null } = user;
  return toBody(userSchema, { ...user, identity, passwordExpiresAt: findPasswordEnd(user) ?? undefined });
}

/** The members of a user that audit events show. */
export const toUserAuditMembers = ({ name, role, disabled }: User) => ({ name, role, disabled });
