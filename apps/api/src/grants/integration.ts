import { secretText } from '@widget-service/shared/config/value-schemas.ts';
import { findSecretMistake } from '@widget-service/shared/domain/sealed-secrets.ts';
import type { Integration, IntegrationMembers } from '@widget-service/shared/entities/grant.ts';
import { z } from 'zod';
import { invalidRequest } from '../http/problem.ts';
import { newSourceSchema, rejectSecrets, secretsSchema, sourceSchema } from '../sources/source-schema.ts';
import {
  describeShown,
  type GrantResource,
  grantChangeMembers,
  newGrantMembers,
  rotationMembers,
  toRotation,
  urlMember,
} from './grant-schema.ts';

const signatures = ['none', 'standard-webhooks'] as const;
/** `source`: the signature scheme of its source decides. */
const shownSignatures = [...signatures, 'source'] as const;

const secretMistakes = {
  format: 'Must be whsec_ and base64, as Standard Webhooks describes.',
  'too-short': 'Must have at least 24 bytes.',
  'too-long': 'Must have at most 64 bytes.',
} as const;

/** A signing secret that the sender dictates. No response shows it. */
const dictatedSecret = secretText
  .check(({ value, issues }) => {
    const mistake = findSecretMistake(value);
    if (mistake === null) return;
    issues.push({ code: 'custom', message: secretMistakes[mistake], params: { mistake }, input: value });
  })
  .nullish()
  .meta({
    writeOnly: true,
    description:
      'The secret to sign hooks with, if the sender dictates it: `whsec_` and the base64 of 24 to 64 bytes. Null or left out: the service makes one. It implies `signature: "standard-webhooks"`. No response shows it.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });

interface SignatureInput {
  readonly signature?: (typeof signatures)[number] | null | undefined;
  readonly signingSecret?: string | null | undefined;
}

/** A secret without signatures is a contradiction, and so a mistake. */
function checkSecretIsUsed({ value, issues }: { value: SignatureInput | null | undefined; issues: unknown[] }): void {
  if (value?.signature !== 'none' || typeof value.signingSecret !== 'string') return;
  issues.push({
    code: 'custom',
    message: 'Must be left out if signature is none.',
    path: ['signingSecret'],
    input: value,
  });
}

/** Returns null if the body says nothing about signatures. */
function toIsSigned({ signature = null, signingSecret = null }: SignatureInput): boolean | null {
  if (signingSecret !== null) return true;
  return signature === null ? null : signature === 'standard-webhooks';
}

/** Hooks per second; null: the limit in the settings of the service. */
const rate = z.int().min(1).max(1_000_000).nullable();

const newIntegrationSchema = z
  .strictObject({
    ...newGrantMembers,
    deduplicateByContent: z
      .boolean()
      .nullish()
      .transform((value) => value ?? true)
      .meta({ default: true }),
    rate: rate
      .optional()
      .transform((value) => value ?? null)
      .meta({ default: null }),
    signature: z.enum(signatures).nullish().meta({ default: 'none' }),
    signingSecret: dictatedSecret,
    source: newSourceSchema
      .nullish()
      .describe('For a sender that cannot send hooks as described. Null or left out: its hooks are as described.'),
  })
  .check(checkSecretIsUsed)
  .check(({ value, issues }) => {
    if ((value.source ?? null) === null) return;
    for (const name of ['signature', 'signingSecret'] as const) {
      if ((value[name] ?? null) === null) continue;
      issues.push({ code: 'custom', message: 'Must be left out: the source says it.', path: [name], input: value });
    }
  })
  .transform(({ signature, signingSecret, source, ...input }) => ({
    input: { ...input, source: source?.source ?? null, samplesKeptUntil: null },
    isSigned: toIsSigned({ signature, signingSecret }) ?? false,
    dictatedSecret: signingSecret ?? null,
    sourceSecrets: source?.secrets ?? null,
  }))
  .meta({ id: 'NewIntegration', examples: [{ name: 'Plant north', signature: 'standard-webhooks' }] });

/** `signature` is not a member: only a rotation changes it, because it belongs to the token. */
const integrationChangesSchema = z
  .strictObject({
    ...grantChangeMembers,
    deduplicateByContent: z
      .boolean()
      .nullable()
      .transform((value) => value ?? true)
      .exactOptional(),
    rate: rate.exactOptional(),
  })
  .meta({ id: 'IntegrationChanges', examples: [{ rate: 100 }] });

/** No body means all defaults; `signature` defaults to its current value. */
const integrationRotationSchema = z
  .strictObject({
    ...rotationMembers,
    signature: z
      .enum(signatures)
      .nullish()
      .describe(
        'Null or left out: as before. If it changes from `none` to `standard-webhooks`, the previous address takes hooks without a signature as long as it works: send `overlapSeconds` 0 to end that now.',
      ),
    signingSecret: dictatedSecret,
    secrets: secretsSchema
      .nullish()
      .describe('The secrets of the source. Required if, and only if, the integration has one.'),
  })
  .nullish()
  .check(checkSecretIsUsed)
  .transform((value) => ({
    ...toRotation(value?.overlapSeconds, toIsSigned(value ?? {})),
    dictatedSecret: value?.signingSecret ?? null,
    sourceSecrets: value?.secrets ?? null,
  }))
  .meta({ id: 'IntegrationRotation', examples: [{ overlapSeconds: 300 }] });

const { shown, issued, issuedShape, toBody } = describeShown({
  id: 'Integration',
  description: 'A grant to post hooks.',
  own: {
    signature: z
      .enum(shownSignatures)
      .describe('Whether hooks must be signed, as Standard Webhooks describes. `source`: as the source says.'),
    deduplicateByContent: z
      .boolean()
      .describe(
        'Whether hooks with the same content are one event. It applies to hooks that have neither a `webhook-id` nor an `Idempotency-Key`. Among these, hooks with neither `widgetId` nor `payload` are always different events.',
      ),
    rate: z
      .int()
      .nullable()
      .meta({
        description:
          'The rate limit of this integration, in hooks per second; a hook counts once for each started 4 KiB of its body. Null: the default of the service.',
        examples: [null],
      }),
    source: sourceSchema.nullable().describe('Null: its hooks are as described.'),
  },
  lastUse: 'lastReceivedAt',
  lastUseText: 'When a hook of the integration was last accepted, accurate to a minute.',
  secrets: {
    ...urlMember,
    signingSecret: z
      .string()
      .optional()
      .meta({
        description:
          'Present if hooks must be signed and the service made the secret to sign with. It is not shown again.',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
  },
});
export const integrationSchema = shown;

const rotatedIntegrationSchema = issuedShape
  .extend({
    previousSignature: z
      .enum(shownSignatures)
      .nullable()
      .meta({
        description:
          'How hooks to the previous address are signed; null if it no longer works. With `none`, whoever knows that address can post hooks without a signature until `previousExpiresAt`.',
        examples: ['none'],
      }),
  })
  .meta({ id: 'RotatedIntegration' });

/** `/api/v1/integrations`: grants for outside systems to post hooks, with their options. */
export const integrationResource: GrantResource<IntegrationMembers> = {
  singular: 'an integration',
  pathSegment: 'integrations',
  operationGroup: 'integrations',
  schemas: {
    creation: newIntegrationSchema,
    changes: integrationChangesSchema,
    rotation: integrationRotationSchema,
    shown,
    issued,
    rotated: rotatedIntegrationSchema,
  },
  toBody: (grant) => toBody({ ...grant, signature: toSignature(grant.token, grant.source) }),
  toPreviousBody: ({ previousToken, source }, isValid) => ({
    previousSignature: previousToken !== null && isValid ? toSignature(previousToken, source) : null,
  }),
  checkRotation: ({ source }, { sourceSecrets = null }) => {
    // Secrets are given if and only if there is a source. The stored ones are sealed with the old token.
    if ((source === null) === (sourceSecrets === null)) {
      if (source !== null && sourceSecrets !== null) rejectSecrets(source, sourceSecrets);
      return;
    }
    const detail =
      source === null
        ? 'Must be left out: the integration has no source.'
        : 'Must be given: only with the old address could the secrets be read.';
    throw invalidRequest({ detail, code: source === null ? 'format' : 'required', pointer: '#/secrets' });
  },
  toTokenPath: (token) => `/api/v1/events/hooks/${token}`,
};

function toSignature({ sealedSecret }: Integration['token'], source: Integration['source']) {
  if (source !== null) return 'source';
  return sealedSecret === null ? 'none' : 'standard-webhooks';
}
