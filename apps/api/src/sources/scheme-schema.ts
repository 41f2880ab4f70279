import type { SignatureScheme, SignatureTime } from '@widget-service/shared/domain/hook-source.ts';
import { z } from 'zod';
import { headerName, pointer, text } from './mapping-schema.ts';
import { schemeDefaults } from './presets.ts';

const signatureTime = z
  .strictObject({
    header: headerName.optional(),
    entry: text(1, 64).optional().describe('What the entry of the header with the signatures begins with.'),
    from: pointer.optional(),
    unit: z.enum(['seconds', 'milliseconds']).optional().meta({ default: 'seconds', description: 'Of the Unix time.' }),
  })
  .refine(
    ({ header, entry, from }) => [header, entry, from].filter((value) => value !== undefined).length === 1,
    'Must have exactly one of header, entry, from.',
  )
  .transform(({ header, entry, from, unit = 'seconds' }): SignatureTime => {
    if (header !== undefined) return { header, unit };
    return entry === undefined ? { from: from ?? '', unit } : { entry, unit };
  });

const signedPlace = /\{([^{}]*)\}/g;
const signedPlaces = ['body', 'timestamp', 'id', 'url'];

const signed = text(1, 256)
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
  prefix: text(0, 64).optional().meta({ default: '', description: 'What a signature begins with, such as `sha256=`.' }),
  encoding: z.enum(['hex', 'base64']).optional().meta({ default: 'hex' }),
  signed: signed.optional().meta({
    default: '{body}',
    description: 'What is signed, with the places {body}, {timestamp}, {id} and {url}.',
    examples: ['v0:{timestamp}:{body}'],
  }),
  timestamp: signatureTime.nullish().describe('Where the time of the signature is.'),
  toleranceSeconds: z.int().min(1).max(3_600).optional().meta({ default: 300 }),
  idHeader: headerName.nullish().describe('The header with the id that is signed.'),
  secretEncoding: z.enum(['text', 'hex', 'base64', 'whsec']).optional().meta({ default: 'text' }),
  challengeParameter: text(0, 128)
    .nullish()
    .meta({
      description:
        'The parameter of the address with which the sender asks, by GET or by POST without a body, whether somebody is there: its text is the answer. Empty: each GET is answered, with an empty text. Null: a GET is not answered.',
      examples: ['hub.challenge'],
    }),
});
type SchemeInput = z.output<typeof schemeMembers>;

export const schemeSchema = schemeMembers
  .check(({ value, issues }) => {
    for (const [path, message] of findSchemeMistakes(value)) {
      issues.push({ code: 'custom', message, path: [path], input: value });
    }
  })
  .transform(
    ({ header, timestamp, idHeader, separator, challengeParameter, ...given }): SignatureScheme => ({
      ...schemeDefaults,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      algorithm: given.algorithm,
      header: header ?? (given.algorithm === 'basic' ? 'authorization' : ''),
      separator: separator ?? null,
      timestamp: timestamp ?? null,
      idHeader: idHeader ?? null,
      challengeParameter: challengeParameter ?? null,
    }),
  )
  .meta({ id: 'SignatureScheme', description: 'How the sender proves that it sent a request.' });

type SchemeMistake = readonly [keyof SchemeInput, string];

/** A member without effect would let its author believe in a protection that is not there. */
const effects: Readonly<Record<'none' | 'basic' | 'token', readonly (keyof SchemeInput)[]>> = {
  none: ['algorithm', 'challengeParameter'],
  basic: ['algorithm', 'header', 'challengeParameter'],
  token: ['algorithm', 'header', 'prefix', 'challengeParameter'],
};

function* findSchemeMistakes(given: SchemeInput): Generator<SchemeMistake> {
  const { algorithm, header } = given;
  if (header === undefined && algorithm !== 'basic' && algorithm !== 'none') yield ['header', 'Must be given.'];
  if (algorithm === 'none' || algorithm === 'basic' || algorithm === 'token') {
    const names = Object.keys(given) as (keyof SchemeInput)[];
    for (const name of names.filter((each) => !effects[algorithm].includes(each) && given[each] != null)) {
      yield [name, `Must be left out: it has no effect with the algorithm ${algorithm}.`];
    }
    return;
  }
  yield* findSignedMistakes(given);
}

/**
 * An id beside another place, with nothing or letters and digits between them, which the id may hold, too. A time has a
 * fixed length, an address begins with its scheme, and a body in JSON with a bracket.
 */
const unseparatedId = /\{id\}[A-Za-z0-9]*\{|\}[A-Za-z0-9]*\{id\}/;

function* findSignedMistakes(given: SchemeInput): Generator<SchemeMistake> {
  const { signed: template = '{body}', timestamp = null, idHeader = null, prefix = '' } = given;
  const separator = given.separator || null;
  if (unseparatedId.test(template)) {
    yield ['signed', 'Must have a separator, such as a dot, beside {id}: nobody has signed where the id ends.'];
  }
  if (template.includes('{timestamp}') && timestamp === null) yield ['timestamp', 'Must be given: it is signed.'];
  // A time that is not signed proves nothing: whoever repeats a request can change it. A time in the body is signed.
  if (timestamp !== null && !('from' in timestamp) && !template.includes('{timestamp}')) {
    yield ['signed', 'Must have the place {timestamp}: a time that is not signed proves nothing.'];
  }
  if (timestamp !== null && 'entry' in timestamp && separator === null) {
    yield ['separator', 'Must be given: the time is an entry of the header.'];
  }
  const entry = timestamp !== null && 'entry' in timestamp ? timestamp.entry : '';
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
