import { secretText } from '@widget-service/shared/config/secret-text.ts';
import {
  type HookSource,
  type SignatureScheme,
  type SourcePreset,
  sourcePresets,
  type TextPlaces,
} from '@widget-service/shared/domain/hook-source.ts';
import { z } from 'zod';
import { InputError } from '../http/problem.ts';
import { forArrayLength } from '../schemas/text.ts';
import { completeMapping, exampleMapping, kindOutcome, mappingSchema } from './mapping-schema.ts';
import { findScheme, presets } from './presets.ts';
import { schemeSchema } from './scheme-schema.ts';
import { toSourceKey } from './source-key.ts';

const secretsMax = 4;
/** Of what is sent as it is: whoever guesses it needs a request for each try. In characters. */
const tokenMinLength = 8;
/** Whoever sees one signed request can try keys with it, as fast as the machine computes. */
const keyMinLength = 16;

export const secretsSchema = z
  .array(secretText)
  .max(secretsMax, forArrayLength)
  .meta({
    writeOnly: true,
    description:
      'What the sender signs with, or sends: several while it changes its secret. No response shows them, and only with the token of the address can they be read.',
    examples: [['whatever the sender was given']],
  });

/** Returns what is wrong with the secrets of a scheme, each with its index; null as the index: with all of them. */
function findSecretMistakes(
  scheme: SignatureScheme,
  secrets: readonly string[],
): readonly (readonly [number | null, string])[] {
  if (scheme.algorithm === 'none') {
    return secrets.length === 0 ? [] : [[null, 'Must be empty: the scheme has no secret.']];
  }
  if (secrets.length === 0) return [[null, 'Must have at least one secret.']];
  return secrets.flatMap((secret, index) => {
    const mistake = findSecretMistake(scheme, secret);
    return mistake === null ? [] : [[index, mistake] as const];
  });
}

function findSecretMistake(scheme: SignatureScheme, secret: string): string | null {
  const minLength = scheme.algorithm.startsWith('hmac') ? keyMinLength : tokenMinLength;
  if (secret.length < minLength) return `Must have at least ${minLength} characters: anybody could guess it.`;
  if (secret.length > 1_024) return 'Must have at most 1024 characters.';
  if (scheme.algorithm === 'basic' && !hasPassword(secret)) {
    return `Must have the form user:password, with a password of at least ${tokenMinLength} characters.`;
  }
  const key = toSourceKey(secret, scheme);
  const length = key?.symmetricKeySize ?? keyMinLength;
  if (scheme.secretEncoding !== 'text' && length < keyMinLength) {
    return `Must stand for at least ${keyMinLength} bytes: anybody could guess it.`;
  }
  if (key !== null) return null;
  return scheme.algorithm === 'ed25519'
    ? `Must be the public key of the sender: 32 bytes in ${scheme.secretEncoding}, or PEM.`
    : `Must be written in ${scheme.secretEncoding === 'whsec' ? 'base64 after whsec_' : scheme.secretEncoding}.`;
}

function hasPassword(secret: string): boolean {
  const at = secret.indexOf(':');
  return at !== -1 && secret.length - at > tokenMinLength;
}

/** Throws `InputError` if the secrets are not written as the scheme of the source says. */
export function rejectSecrets(source: HookSource, secrets: readonly string[]): void {
  const mistakes = findSecretMistakes(findScheme(source), secrets);
  if (mistakes.length === 0) return;
  throw new InputError(
    'invalid-request',
    'The request is not valid; "errors" names what is wrong.',
    mistakes.map(([index, detail]) => ({
      detail,
      code: 'format',
      pointer: index === null ? '#/secrets' : `#/secrets/${index}`,
    })),
  );
}

/** A source with its secrets, which are stored apart from it. */
export interface GivenSource {
  readonly source: HookSource;
  readonly secrets: readonly string[];
}

/** With the preset `github`. */
export const exampleSource = { preset: 'github', secrets: ['whatever GitHub was given'], mapping: exampleMapping };

const sourceMembers = {
  preset: z.enum(sourcePresets).describe('The sender. `custom`: any other; `scheme` then says how it signs.'),
  scheme: schemeSchema.nullish().describe('Only with the preset `custom`.'),
  mapping: mappingSchema,
};

interface SourceInput {
  readonly preset: SourcePreset;
  readonly scheme?: SignatureScheme | null | undefined;
  readonly secrets?: readonly string[] | null | undefined;
}

/** Checks what belongs together. Without secrets (null), nothing is said of them. */
function checkSource({ value, issues }: { value: SourceInput; issues: unknown[] }): void {
  const { preset, scheme = null, secrets = [] } = value;
  const push = (path: readonly PropertyKey[], message: string) =>
    issues.push({ code: 'custom', message, path: [...path], input: value });
  const own = presets[preset].scheme;
  if (own === null && scheme === null) push(['scheme'], 'Must be given with the preset custom.');
  if (own !== null && scheme !== null) push(['scheme'], 'Must be left out: the preset has a scheme.');
  const used = own ?? scheme;
  // A scheme with a mistake has no defaults yet, and says itself what is wrong.
  if (used === null || secrets === null || issues.length > 0) return;
  for (const [index, message] of findSecretMistakes(used, secrets)) {
    push(index === null ? ['secrets'] : ['secrets', index], message);
  }
}

export const newSourceSchema = z
  .strictObject({ ...sourceMembers, secrets: secretsSchema.optional() })
  .check(checkSource)
  .transform(
    ({ preset, scheme = null, secrets = [], mapping }): GivenSource => ({
      source: { preset, scheme, mapping: completeMapping(preset, mapping) },
      secrets,
    }),
  )
  .meta({
    id: 'NewHookSource',
    description:
      'How the integration understands a sender that cannot send hooks as the interface describes them: how it signs, and where the members of a hook are.',
    examples: [exampleSource],
  });

/** A source that is only tried: without secrets, no signature is verified. */
export const triedSourceSchema = z
  .strictObject({
    ...sourceMembers,
    secrets: secretsSchema.nullish().describe('Null or left out: the signature is not verified.'),
  })
  .transform((value) => ({ ...value, secrets: value.secrets ?? null }))
  .check(checkSource)
  .transform(({ preset, scheme = null, secrets, mapping }) => ({
    source: { preset, scheme, mapping: completeMapping(preset, mapping) } satisfies HookSource,
    secrets,
  }))
  .meta({ id: 'TriedHookSource', examples: [exampleSource] });

const shownPlace = {
  from: z.string().optional(),
  header: z.string().optional(),
  value: z.string().optional(),
};
const shownPlaces = { ...shownPlace, all: z.array(z.object(shownPlace)).optional() };

/** What was given, with every default filled in. It has no secret. */
export const sourceSchema = z
  .object({
    preset: z.enum(sourcePresets),
    scheme: z.record(z.string(), z.unknown()).nullable().describe('Null: that of the preset.'),
    mapping: z.object({
      only: z.array(z.object({ ...shownPlace, in: z.array(z.string()) })),
      kind: z.object({ ...shownPlace, values: z.record(z.string(), kindOutcome), otherwise: kindOutcome }),
      occurredAt: z.object({
        ...shownPlace,
        now: z.boolean().optional(),
        format: z.string(),
        otherwise: z.string(),
      }),
      widgetId: z.object({ ...shownPlaces, as: z.string(), otherwise: z.string() }).nullable(),
      id: z.object(shownPlaces).nullable(),
      payload: z.object({ from: z.string(), without: z.array(z.string()).optional() }).nullable(),
    }),
  })
  .meta({ id: 'HookSource', description: 'How the integration understands a foreign sender.' });

/** Converts a source to the form that the API returns. */
export function toSourceBody({ preset, scheme, mapping }: HookSource): z.output<typeof sourceSchema> {
  const { only, kind, occurredAt, widgetId, id, payload } = mapping;
  const { place: kindPlace, ...kindRest } = kind;
  const { place: timePlace, ...timeRest } = occurredAt;
  return {
    preset,
    scheme: scheme === null ? null : toSchemeBody(scheme),
    mapping: {
      only: only.map(({ place: one, in: texts }) => ({ ...one, in: [...texts] })),
      kind: { ...kindPlace, values: { ...kindRest.values }, otherwise: kindRest.otherwise },
      occurredAt: { ...(timePlace ?? { now: true }), ...timeRest },
      widgetId:
        widgetId === null ? null : { ...copyPlaces(widgetId.place), as: widgetId.as, otherwise: widgetId.otherwise },
      id: id === null ? null : copyPlaces(id),
      payload: payload === null ? null : copyPayload(payload),
    },
  };
}

/** Only what has an effect, so that it can be sent again for another integration. */
function toSchemeBody({ bodyHashParameter: _, ...scheme }: SignatureScheme): Record<string, unknown> {
  const { algorithm, header, prefix, challengeParameter = null } = scheme;
  if (algorithm === 'none') return { algorithm, challengeParameter };
  if (algorithm === 'basic') return { algorithm, header, challengeParameter };
  return algorithm === 'token' ? { algorithm, header, prefix, challengeParameter } : { ...scheme, challengeParameter };
}

function copyPlaces(places: TextPlaces) {
  return 'all' in places ? { all: [...places.all] } : places;
}

function copyPayload({ from, without }: NonNullable<HookSource['mapping']['payload']>) {
  return without === undefined ? { from } : { from, without: [...without] };
}
