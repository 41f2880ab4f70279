import { z } from 'zod';
import { defineEntity, type EntityOf, storedTime, storedUuid } from './define-entity.ts';

/** A signed-in browser or script. The session cookie holds a secret, of which only the digest is stored. */
export const sessionEntity = defineEntity({
  name: 'sessions',
  key: 'digest',
  namedBy: 'id',
  order: ['createdAt', 'id'],
  indexes: { user: ['userId'] },
  expires: 'expiresAt',
  members: z.object({
    /** A UUID that names the session in the interface. It is no secret, and tells nothing about the cookie's value. */
    id: storedUuid,
    /** SHA-256 of the cookie's value, hexadecimal. The value itself is not stored. */
    digest: z.string(),
    userId: z.string(),
    /** What signed in, as `describeDevice` returns it. Null: unknown. */
    device: z.string().nullable(),
    /** The client's address at sign-in. Null: unknown. */
    address: z.string().nullable(),
    createdAt: storedTime,
    lastSeenAt: storedTime,
    /** When the session ends, even if it is in use. The caller checks the idle time-out itself, by `lastSeenAt`. */
    expiresAt: storedTime,
  }),
});

export type Session = EntityOf<typeof sessionEntity>;
