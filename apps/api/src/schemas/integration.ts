import { z } from 'zod';
import {
  grantChangeMembers,
  grantHead,
  grantTail,
  newGrantMembers,
  previousExpiresAtMember,
  rotationMembers,
  tokenMember,
  toRotation,
  urlMember,
} from './grant.ts';
import { timestamp } from './text.ts';

const signatures = ['none', 'standard-webhooks'] as const;

/** Hooks per second; null: as the service is set. */
const rate = z.int().min(1).max(1_000_000).nullable();

export const newIntegrationSchema = z
  .strictObject({
    ...newGrantMembers,
    deduplicateByContent: z
      .boolean()
      .nullish()
      .transform((given) => given ?? true)
      .meta({ default: true }),
    rate: rate
      .optional()
      .transform((given) => given ?? null)
      .meta({ default: null }),
    signature: z.enum(signatures).nullish().meta({ default: 'none' }),
  })
  .transform(({ signature, ...input }) => ({ input, isSigned: signature === 'standard-webhooks' }))
  .meta({ id: 'NewIntegration', examples: [{ name: 'Plant north', signature: 'standard-webhooks' }] });

/** `signature` is no member: only a new token can have another one. */
export const integrationChangesSchema = z
  .strictObject({
    ...grantChangeMembers,
    deduplicateByContent: z
      .boolean()
      .nullable()
      .transform((given) => given ?? true)
      .exactOptional(),
    rate: rate.exactOptional(),
  })
  .meta({ id: 'IntegrationChanges', examples: [{ rate: 100 }] });

/** No body at all is all defaults; the default signature is the one there is. */
export const integrationRotationSchema = z
  .strictObject({ ...rotationMembers, signature: z.enum(signatures).nullish() })
  .nullish()
  .transform((given) => {
    const signature = given?.signature ?? null;
    return toRotation(given?.overlapSeconds, signature === null ? null : signature === 'standard-webhooks');
  })
  .meta({ id: 'IntegrationRotation', examples: [{ overlapSeconds: 300 }] });

const integrationShape = z.object({
  ...grantHead,
  signature: z.enum(signatures).describe('Whether hooks must be signed as Standard Webhooks describes.'),
  deduplicateByContent: z
    .boolean()
    .describe('Whether hooks without a `webhook-id` and an `Idempotency-Key` are told apart by what they hold.'),
  rate: z
    .int()
    .nullable()
    .meta({ description: 'Hooks per second; null: as the service is set.', examples: [null] }),
  ...grantTail,
  lastReceivedAt: timestamp.nullable().describe('When a hook was last accepted with it, to the minute.'),
});

export const integrationSchema = integrationShape.meta({ id: 'Integration', description: 'The right to post hooks.' });

/** With `rotatedIntegrationSchema` the only answers that ever show the token, and a signed one's signing secret. */
const issuedShape = integrationShape.extend({
  ...tokenMember,
  ...urlMember,
  signingSecret: z
    .string()
    .optional()
    .meta({
      description: 'There where hooks must be signed: the secret to sign with. It is not shown again.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
});
export const issuedIntegrationSchema = issuedShape.meta({ id: 'IssuedIntegration' });
export const rotatedIntegrationSchema = issuedShape.extend(previousExpiresAtMember).meta({ id: 'RotatedIntegration' });
