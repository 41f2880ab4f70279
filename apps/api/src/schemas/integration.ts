import { z } from 'zod';
import { personalText, timestamp } from './text.ts';

export const newIntegrationSchema = z.strictObject({
  name: personalText(1, 200),
  deduplicateByContent: z
    .boolean()
    .nullish()
    .transform((given) => given ?? true)
    .meta({ default: true }),
});

/** The only answer that ever shows the token. */
export const issuedIntegrationSchema = z.object({
  id: z.string().meta({ format: 'uuid' }),
  name: z.string(),
  deduplicateByContent: z.boolean(),
  createdAt: timestamp,
  token: z.string(),
  url: z.string(),
});
