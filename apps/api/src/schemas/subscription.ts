import { z } from 'zod';
import { personalText, timestamp } from './text.ts';

export const newSubscriptionSchema = z.strictObject({ name: personalText(1, 200) });

/** The only answer that ever shows the token. */
export const issuedSubscriptionSchema = z.object({
  id: z.string().meta({ format: 'uuid' }),
  name: z.string(),
  createdAt: timestamp,
  token: z.string(),
  url: z.string(),
});
