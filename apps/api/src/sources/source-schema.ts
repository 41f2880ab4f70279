import { secretText } from '@widget-service/shared/config/value-schemas.ts';
import { forArrayLength } from '@widget-service/shared/entities/define-entity.ts';
import { kindOutcome, mappingSchema } from '@widget-service/shared/entities/hook-mapping.ts';
import {
  type HookSource,
  type SignatureScheme,
  schemeSchema,
  sourcePresets,
} from '@widget-service/shared/entities/hook-source.ts';
import { z } from 'zod';
import { invalidRequest } from '../http/problem.ts';
import { completeMapping, findScheme, presets } from './sender-presets.ts';
import { toSourceKey } from './source-key.ts';

const secretsMax = 4;
/** The least characters of a secret that is sent as it is: each guess needs a request. */
const tokenMinLength = 8;
/** The least characters of a key: one signed request suffices to try keys offline, as fast as a machine computes. */
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
  const toPointer = (index: number | null) => (index === null ? '#/secrets' : `#/secrets/${index}`);
  throw invalidRequest(
    ...mistakes.map(([index, detail]) => ({ detail, code: 'format', pointer: toPointer(index) }) as const),
  );
}

/** Of a sender with the preset `github`. */
const exampleMapping = {
  only: [{ header: 'x-github-event', in: ['repository', 'push'] }],
  kind: { from: '/action', values: { archived: 'retired', deleted: 'retired' }, otherwise: 'updated' },
  occurredAt: { from: '/repository/updated_at', otherwise: 'now' },
  widgetId: { from: '/repository/full_name', as: 'name' },
  payload: { from: '/repository' },
};
export const exampleSource = { preset: 'github', secrets: ['whatever GitHub was given'], mapping: exampleMapping };

export const newMappingSchema = mappingSchema.meta({
  id: 'NewHookMapping',
  description:
    'Where the members of a hook are in the requests of the sender. `from`: a JSON Pointer into the body (of a form, into an object of its fields, or into the JSON of its field `payload`). `header`: a header. `value`: a constant.',
  examples: [exampleMapping],
});

interface GivenSource extends Pick<HookSource, 'preset'> {
  readonly scheme?: HookSource['scheme'] | undefined;
  readonly secrets: readonly string[] | null;
}

/** Checks members that depend on each other. If `secrets` is null, they are not checked. */
function checkSource({ value, issues }: { value: GivenSource; issues: unknown[] }): void {
  const { preset, scheme = null, secrets } = value;
  const push = (path: readonly PropertyKey[], message: string) =>
    issues.push({ code: 'custom', message, path: [...path], input: value });
  const isCustom = presets[preset].scheme === null;
  if (isCustom && scheme === null) push(['scheme'], 'Must be given with the preset custom.');
  if (!isCustom && scheme !== null) push(['scheme'], 'Must be left out: the preset has a scheme.');
  // A scheme with a mistake has no defaults yet. Its mistake is reported already.
  if (secrets === null || issues.length > 0) return;
  for (const [index, message] of findSecretMistakes(findScheme({ preset, scheme }), secrets)) {
    push(index === null ? ['secrets'] : ['secrets', index], message);
  }
}

/** The schema of a source with its secrets, which are stored apart from it. */
function withSecrets<Secrets extends readonly string[] | null>(secrets: z.ZodType<Secrets>) {
  return z
    .strictObject({
      preset: z.enum(sourcePresets).describe('The sender. `custom`: any other; `scheme` then says how it signs.'),
      scheme: schemeSchema.nullish().describe('Only with the preset `custom`.'),
      mapping: newMappingSchema,
      secrets,
    })
    .check(checkSource)
    .transform(({ preset, scheme = null, mapping, secrets: given }) => ({
      source: { preset, scheme, mapping: completeMapping(preset, mapping) } satisfies HookSource,
      secrets: given,
    }));
}

export const newSourceSchema = withSecrets(secretsSchema.optional().transform((given = []) => given)).meta({
  id: 'NewHookSource',
  description:
    'How the integration understands a sender that cannot send hooks as the interface describes them: how it signs, and where the members of a hook are.',
  examples: [exampleSource],
});

/** The source of a preview: without secrets, no signature is verified. */
export const triedSourceSchema = withSecrets(
  secretsSchema
    .nullish()
    .transform((given) => given ?? null)
    .describe('Null or left out: the signature is not verified.'),
).meta({ id: 'TriedHookSource', examples: [exampleSource] });

const shownPlace = {
  from: z.string().optional(),
  header: z.string().optional(),
  value: z.string().optional(),
};
const shownPlaces = { ...shownPlace, all: z.array(z.object(shownPlace)).optional() };

/** A source in a response: all defaults are filled in, and it has no secret. */
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
