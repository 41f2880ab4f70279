import { describeDevice } from '@widget-service/shared/domain/device.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { permissions, permissionsForRole } from '@widget-service/shared/domain/role.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import type { SessionOrigin, SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { computeCsrfToken } from '../caller/csrf.ts';
import { requireSession } from '../caller/policy.ts';
import { type TrustedProxies, toShownAddress } from '../http/forwarding.ts';
import { toPageSchema } from '../schemas/page.ts';
import { newPassword, timestamp } from '../schemas/text.ts';
import { toUserBody, userSchema } from './user-schema.ts';

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

/** Converts a session to the form that the API returns to its user. */
export function toSessionBody(sessionId: string, { user, session }: SignedIn): z.output<typeof sessionSchema> {
  return {
    user: toUserBody(user),
    permissions: [...permissionsForRole(user.role)],
    csrfToken: computeCsrfToken(sessionId),
    expiresAt: session.expiresAt.toISOString(),
  };
}

/** A session in a list. It shows neither the cookie's value nor anything that is derived from it. */
const activeSessionSchema = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'Names the session in requests. It is no secret.' }),
    device: z.string().nullable().meta({
      description:
        'What signed in, by its `User-Agent`: a browser and a system, or the name of a program. Null: unknown. A client can send any name.',
    }),
    address: z.string().nullable().meta({
      description:
        'The address at sign-in. Null: unknown, for example because the request came through a proxy that the service does not trust.',
    }),
    createdAt: timestamp.describe('When the user signed in.'),
    lastUsedAt: timestamp.describe('When the session was last used, accurate to a minute.'),
    expiresAt: timestamp.describe('When the session expires at the latest. It expires earlier if it is idle for long.'),
    current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
  })
  .meta({
    id: 'ActiveSession',
    description: 'A session of a user that has not ended.',
    examples: [
      {
        id: '01a1fc8b-7c1d-7d3e-9a54-0b6d2f8e4c17',
        device: 'Firefox 145 on Windows',
        address: '198.51.100.7',
        createdAt: '2026-03-01T08:00:00.000Z',
        lastUsedAt: '2026-03-01T10:12:00.000Z',
        expiresAt: '2026-03-08T08:00:00.000Z',
        current: true,
      },
    ],
  });

export const activeSessionPageSchema = toPageSchema(activeSessionSchema);

/** Makes the function that converts a session to the form in which lists show it, for this request. */
export function makeToActiveSessionBody(
  request: FastifyRequest,
): (session: Session) => z.output<typeof activeSessionSchema> {
  const currentDigest = requireSession(request).session.digest;
  return ({ id, digest, device, address, createdAt, lastSeenAt, expiresAt }) => ({
    id,
    device,
    address,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastSeenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    current: digest === currentDigest,
  });
}

/** Returns where a request that signs somebody in comes from. The session stores it, for people to recognise. */
export function readSessionOrigin(
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  trustedProxies: TrustedProxies,
): SessionOrigin {
  return {
    device: describeDevice(request.headers['user-agent']),
    address: toShownAddress(request, trustedProxies),
  };
}

export function unknownSessionError(): ServiceError {
  return new ServiceError('not-found', 'There is no such session.');
}
