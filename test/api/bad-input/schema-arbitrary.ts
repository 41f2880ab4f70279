import fc, { type Arbitrary } from 'fast-check';
import type { Json } from '../../drivers/openapi-document.ts';

/** Stands in every text that is generated as a value, so that one that is told back is found. */
export const canary = 'kA7canaryZq9';

/** Texts that a caller might send as a value. */
export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 20 }).map((rest) => `${canary}${rest}`) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((rest) => `${rest}${canary}`) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\u0000', '\ud800', '\ufeff', '$where', '__proto__', 'a.b') },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((length) => canary.repeat(length)) },
);

/** A value that a schema allows, or nearly. */
export function arbitraryOf(schema: Json): Arbitrary<unknown> {
  const { type, anyOf, oneOf, allOf } = schema;
  const choices = (anyOf ?? oneOf) as Json[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(arbitraryOf));
  if (allOf !== undefined) return arbitraryOf((allOf as Json[])[0] ?? {});
  if (Array.isArray(type)) return fc.oneof(...(type as string[]).map((each) => arbitraryOf({ ...schema, type: each })));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf((schema.items ?? {}) as Json), { maxLength: 5 });
    case 'object':
      return objectOf(schema);
    default:
      return anyJson;
  }
}

function textOf({ format, minLength = 0, maxLength = 300 }: Json): Arbitrary<string> {
  switch (format) {
    case 'uuid':
      return fc.uuid();
    case 'date-time':
      return fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
        .map((date) => date.toISOString());
    case 'email':
      return fc.nat(1_000_000).map((number) => `${canary}${number}@example.com`);
    default:
      return fc
        .string({ minLength: Math.max(0, Number(minLength) - canary.length), maxLength: 20 })
        .map((rest) => `${canary}${rest}`.slice(0, Number(maxLength)));
  }
}

function numberOf({ minimum = 0, maximum = 1_000 }: Json): Arbitrary<number> {
  return fc.integer({ min: Number(minimum), max: Math.max(Number(minimum), Number(maximum)) });
}

function objectOf({ properties = {}, required = [] }: Json): Arbitrary<unknown> {
  const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => [
    name,
    arbitraryOf(member),
  ]);
  return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required as string[],
    noNullPrototype: true,
  });
}

/** Names that mean something to somebody. */
export const memberName = fc.oneof(
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 10 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      'id',
      'name',
      'role',
      'kind',
      'payload',
      '$where',
      '$set',
      'a.b',
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'length',
      'then',
      '~1',
      'a/b',
      '\ud800',
      `${'n'.repeat(99)}🦄`,
    ),
  },
);

/** Any JSON at all. Its names carry no canary: a problem names the member that is wrong. */
export const anyJson: Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    fc.constantFrom(null, true, false, -0, 1e308, -1, 0.1, 2 ** 53),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(memberName, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
