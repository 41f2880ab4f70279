import { z } from 'zod';
import { defineEntity, type EntityOf, storedTime } from './define-entity.ts';

/**
 * The token of a personal stream, which a signed-in user opens in the browser. The stream ends with the session, and at
 * `expiresAt` at the latest.
 */
export const personalStreamEntity = defineEntity({
  name: 'personalStreams',
  key: 'tokenDigest',
  namedBy: 'userId',
  order: ['issuedAt', 'tokenDigest'],
  indexes: { by_user: ['userId', '-issuedAt', '-tokenDigest'] },
  expires: 'expiresAt',
  members: z.object({
    /** SHA-256 of the token, hexadecimal. */
    tokenDigest: z.string(),
    userId: z.string(),
    sessionDigest: z.string(),
    issuedAt: storedTime,
    expiresAt: storedTime,
  }),
});

export type PersonalStream = EntityOf<typeof personalStreamEntity>;
