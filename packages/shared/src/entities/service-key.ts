import { z } from 'zod';
import { defineEntity, type EntityOf } from './define-entity.ts';

/**
 * A random key that all pods of a deployment share. The service generates each key once and keeps it for ever.
 *
 * It is the key of an HMAC, in which a text such as an exported audit event shows an e-mail. So who has only that text
 * cannot try e-mails against it. A reader of the store can.
 */
export const serviceKeyEntity = defineEntity({
  name: 'serviceKeys',
  key: 'name',
  namedBy: 'name',
  members: z.object({
    /** Names its purpose. */
    name: z.string(),
    secret: z.string().min(1),
  }),
});

export type ServiceKey = EntityOf<typeof serviceKeyEntity>;
