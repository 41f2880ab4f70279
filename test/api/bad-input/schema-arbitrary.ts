import fc, { type Arbitrary } from 'fast-check';
import type { Json } from '../../drivers/app/openapi-document.ts';

/** Occurs in every generated text value, so that a test can detect a repeated value. */
export const canary = 'kA7canaryZq9';

/** Texts that a client might send as a value. */
export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 20 }).map((rest) => `${canary}${rest}`) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((rest) => `${rest}${canary}`) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\u0000', '\ud800', '\ufeff', '$where', '__proto__', 'a.b') },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((length) => canary.repeat(length)) },
);

/** Values that a schema allows, or almost allows. */
export function toArbitrary(schema: Json): Arbitrary<unknown> {
  const { type, anyOf, oneOf, allOf } = schema;
  const choices = (anyOf ?? oneOf) as Json[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(toArbitrary));
  if (allOf !== undefined) return toArbitrary((allOf as Json[])[0] ?? {});
  if (Array.isArray(type)) return fc.oneof(...(type as string[]).map((name) => toArbitrary({ ...schema, type: name })));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (type) {
    case 'string':
      return toTextArbitrary(schema);
    case 'integer':
    case 'number':
      return toNumberArbitrary(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(toArbitrary((schema.items ?? {}) as Json), { maxLength: 5 });
    case 'object':
      return toObjectArbitrary(schema);
    default:
      return anyJson;
  }
}

function toTextArbitrary({ format, minLength = 0, maxLength = 300 }: Json): Arbitrary<string> {
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

function toNumberArbitrary({ minimum = 0, maximum = 1_000 }: Json): Arbitrary<number> {
  return fc.integer({ min: Number(minimum), max: Math.max(Number(minimum), Number(maximum)) });
}

function toObjectArbitrary({ properties = {}, required = [] }: Json): Arbitrary<unknown> {
  const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => [
    name,
    toArbitrary(member),
  ]);
  return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required as string[],
    noNullPrototype: true,
  });
}

/** Member names with a special meaning in JavaScript, JSON Pointer, MongoDB or this interface, and random ones. */
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

/** Any JSON value. Member names have no canary, because a problem may repeat the name of an invalid member. */
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
