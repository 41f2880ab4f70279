import { z } from 'zod';
import { defineEntity, type EntityOf } from './define-entity.ts';

/**
 * A random key that all pods of a deployment share. The service generates each key once and keeps it for ever.
 *
 * A key protects nothing from a reader of the store. It only keeps somebody with a single text, such as an exported
 * audit event, from guessing what the text was made of.
 */
export const serviceKeyEntity = defineEntity({
  name: 'serviceKeys',
  key: 'name',
  namedBy: 'name',
  members: z.object({
    /** Of its purpose. */
    name: z.string(),
    secret: z.string().min(1),
  }),
});

export type ServiceKey = EntityOf<typeof serviceKeyEntity>;
