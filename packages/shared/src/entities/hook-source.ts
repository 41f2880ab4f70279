import { z } from 'zod';
import type { DeepReadonly } from './define-entity.ts';
import { completeMappingSchema, type HookMapping, headerName, pointer, textOfLength } from './hook-mapping.ts';

// How an integration understands a sender that cannot send hooks as the interface describes them.

/** The senders with a scheme and defaults of their own (`sender-presets.ts` of the api). `custom` has only defaults. */
export const sourcePresets = [
  'github',
  'gitlab',
  'stripe',
  'shopify',
  'slack',
  'linear',
  'twilio',
  'twilio-shared-key',
  'standard-webhooks',
  'cloudevents',
  'custom',
] as const;
export type SourcePreset = (typeof sourcePresets)[number];

const signatureTime = z
  .strictObject({
    header: headerName.optional(),
    entry: textOfLength(1, 64).optional().describe('What the entry of the header with the signatures begins with.'),
    from: pointer.optional(),
    unit: z.enum(['seconds', 'milliseconds']).default('seconds').describe('Of the Unix time.'),
  })
  .refine(
    ({ header, entry, from }) => [header, entry, from].filter((value) => value !== undefined).length === 1,
    'Must have exactly one of header, entry, from.',
  );

const signedPlace = /\{([^{}]*)\}/g;
const signedPlaces = ['body', 'timestamp', 'id', 'url'];

const signed = textOfLength(1, 256)
  .refine((value) => value.includes('{body}'), 'Must have the place {body}.')
  .refine(
    (value) => [...value.matchAll(signedPlace)].every(([, name = '']) => signedPlaces.includes(name)),
    'Must have no other places than {body}, {timestamp}, {id} and {url}.',
  )
  .refine((value) => {
    const places = [...value.matchAll(signedPlace)].map(([place]) => place);
    return new Set(places).size === places.length;
  }, 'Must have each place at most once.');

/** A character that is in no number, hexadecimal or Base64 text. */
const separatorPattern = /^[ !"#$%&'()*,.:;<>?@[\\\]^`{|}~]$/;

const schemeMembers = z.strictObject({
  algorithm: z
    .enum(['hmac-sha256', 'hmac-sha512', 'ed25519', 'token', 'basic', 'none'])
    .describe(
      '`token`: the header holds the secret itself. `basic`: HTTP Basic, with secrets of the form `user:password`. `none`: whoever knows the address may post.',
    ),
  header: headerName.optional().describe('The header with the signatures. Required, except with `basic` and `none`.'),
  separator: z
    .string()
    .refine((value) => separatorPattern.test(value), 'Must be one character of ASCII that no signature has, such as ;.')
    .nullish()
    .meta({ description: 'What separates the entries of the header. Null: it has one.', examples: [','] }),
  prefix: textOfLength(0, 64)
    .optional()
    .meta({ default: '', description: 'What a signature begins with, such as `sha256=`.' }),
  // In either case, in either alphabet of Base64, padded or not.
  encoding: z.enum(['hex', 'base64']).optional().meta({ default: 'hex' }),
  signed: signed.optional().meta({
    default: '{body}',
    description: 'What is signed, with the places {body}, {timestamp}, {id} and {url}.',
    examples: ['v0:{timestamp}:{body}'],
  }),
  timestamp: signatureTime.nullish().describe('Where the time of the signature is.'),
  // How far that time may differ from our clock, in either direction.
  toleranceSeconds: z.int().min(1).max(3_600).optional().meta({ default: 300 }),
  idHeader: headerName.nullish().describe('The header with the id that is signed.'),
  // `whsec`: base64 after `whsec_` or, for a public key, after `whpk_`.
  secretEncoding: z.enum(['text', 'hex', 'base64', 'whsec']).optional().meta({ default: 'text' }),
  challengeParameter: textOfLength(0, 128)
    .nullish()
    .meta({
      description:
        'The parameter of the address with which the sender asks, by GET or by POST without a body, whether somebody is there: its text is the answer. Empty: each GET is answered, with an empty text. Null: a GET is not answered.',
      examples: ['hub.challenge'],
    }),
});
type GivenScheme = DeepReadonly<z.output<typeof schemeMembers>>;

/** How a sender proves that it sent a request. */
export type SignatureScheme = {
  readonly [Name in Exclude<keyof GivenScheme, 'algorithm'>]-?: Exclude<GivenScheme[Name], undefined>;
} & {
  readonly algorithm: GivenScheme['algorithm'] | 'hmac-sha1';
  /**
   * The name of the parameter of the address that holds the SHA-256 (hexadecimal) of a body, where `signed` has the
   * address (and a form, `{form}`) and not the body. Null: `signed` has the body.
   */
  readonly bodyHashParameter: string | null;
};
export type SignatureTime = NonNullable<SignatureScheme['timestamp']>;

/** The default scheme: HMAC-SHA256 of the body, in hexadecimal. */
export const schemeDefaults: SignatureScheme = {
  algorithm: 'hmac-sha256',
  header: '',
  separator: null,
  prefix: '',
  encoding: 'hex',
  signed: '{body}',
  bodyHashParameter: null,
  timestamp: null,
  toleranceSeconds: 300,
  idHeader: null,
  secretEncoding: 'text',
  challengeParameter: null,
};

/** The members that have an effect with these algorithms. Others would promise a protection that is not there. */
const effects: Readonly<Record<string, readonly (keyof GivenScheme)[]>> = {
  none: ['algorithm', 'challengeParameter'],
  basic: ['algorithm', 'header', 'challengeParameter'],
  token: ['algorithm', 'header', 'prefix', 'challengeParameter'],
};
const schemeNames = Object.keys(schemeMembers.shape) as (keyof GivenScheme)[];

/** A scheme of a custom sender: what has an effect. `findScheme` adds the rest. */
type CustomScheme = Pick<SignatureScheme, 'algorithm'> & Partial<SignatureScheme>;

export const schemeSchema = schemeMembers
  .check(({ value, issues }) => {
    for (const [path, message] of findSchemeMistakes(value)) {
      issues.push({ code: 'custom', message, path: [path], input: value });
    }
  })
  .transform((given): CustomScheme => {
    const defaults = { ...schemeDefaults, header: given.algorithm === 'basic' ? 'authorization' : '' };
    const names = effects[given.algorithm] ?? schemeNames;
    const members = names.map((name) => [name, given[name] ?? defaults[name]]);
    return Object.fromEntries(members) as CustomScheme;
  })
  .meta({ id: 'SignatureScheme', description: 'How the sender proves that it sent a request.' });

type SchemeMistake = readonly [keyof GivenScheme, string];

function* findSchemeMistakes(given: GivenScheme): Generator<SchemeMistake> {
  const { algorithm, header } = given;
  if (header === undefined && algorithm !== 'basic' && algorithm !== 'none') yield ['header', 'Must be given.'];
  const effective = effects[algorithm];
  if (effective === undefined) return yield* findSignedMistakes(given);
  for (const name of schemeNames.filter((each) => !effective.includes(each) && given[each] != null)) {
    yield [name, `Must be left out: it has no effect with the algorithm ${algorithm}.`];
  }
}

/**
 * An id without a separator beside the next place: an attacker could move characters between the two under the same
 * signature. Others need none: a time has a fixed length, an address begins with its scheme, JSON with a bracket.
 */
const unseparatedId = /\{id\}[A-Za-z0-9]*\{|\}[A-Za-z0-9]*\{id\}/;

function* findSignedMistakes(given: GivenScheme): Generator<SchemeMistake> {
  const { signed: template = '{body}', timestamp = null, idHeader = null, prefix = '' } = given;
  const separator = given.separator || null;
  if (unseparatedId.test(template)) {
    yield ['signed', 'Must have a separator, such as a dot, beside {id}: nobody has signed where the id ends.'];
  }
  if (template.includes('{timestamp}') && timestamp === null) yield ['timestamp', 'Must be given: it is signed.'];
  // An unsigned time proves nothing: an attacker who repeats a request can change it. A time in the body is signed.
  if (timestamp !== null && timestamp.from === undefined && !template.includes('{timestamp}')) {
    yield ['signed', 'Must have the place {timestamp}: a time that is not signed proves nothing.'];
  }
  const entry = timestamp?.entry ?? '';
  if (entry !== '' && separator === null) {
    yield ['separator', 'Must be given: the time is an entry of the header.'];
  }
  for (const [path, text] of [
    ['prefix', prefix],
    ['timestamp', entry],
  ] as const) {
    if (separator !== null && text.includes(separator)) {
      yield [path, 'Must not have the separator: no entry of the header would begin so.'];
    }
  }
  if (template.includes('{id}') !== (idHeader !== null))
    yield ['idHeader', 'Must be given if, and only if, it is signed.'];
}

/** A sender, as an integration keeps it. Its secrets are sealed to a key of the token (`sealed-secrets.ts`). */
export interface HookSource {
  readonly preset: SourcePreset;
  /** Only with the preset `custom`: how requests are signed. Null: as the preset says. */
  readonly scheme: CustomScheme | null;
  readonly mapping: HookMapping;
}

const hookSourceSchema = z.object({
  preset: z.enum(sourcePresets),
  scheme: schemeSchema.nullable(),
  mapping: completeMappingSchema,
});

/**
 * A source as it is stored: what clients may send, with every default. A member that an older version did not write
 * gets its default. One that only a newer version knows is left out.
 */
export const storedHookSource = z.codec(z.unknown(), z.custom<HookSource>(), {
  decode: (stored, { issues }) => {
    const read = readStoredSource(stored);
    if (read === null) issues.push({ code: 'custom', message: 'no source', input: stored });
    return read ?? z.NEVER;
  },
  encode: (source) => source,
});

function readStoredSource(stored: unknown): HookSource | null {
  const { data, error } = hookSourceSchema.safeParse(stored);
  if (data !== undefined) return data;
  const unknown = error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length === 0) return null;
  const known = structuredClone(stored);
  for (const { path, keys } of unknown) {
    const place = path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown>)[step], known);
    for (const key of keys) delete (place as Record<string, unknown>)[key];
  }
  return readStoredSource(known);
}
