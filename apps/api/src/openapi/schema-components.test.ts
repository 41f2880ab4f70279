import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildExample, SchemaComponents } from './schema-components.ts';

const part = z.object({ size: z.int() }).meta({ id: 'Part' });

describe('SchemaComponents: a named schema', () => {
  test('is referenced wherever it is used, and described once', () => {
    const components = new SchemaComponents();
    const whole = z.object({ one: part, other: part.nullable(), more: z.array(part) }).meta({ id: 'Whole' });
    expect(components.describe(whole, 'output')).toEqual({ $ref: '#/components/schemas/Whole' });
    const reference = { $ref: '#/components/schemas/Part' };
    expect(components.toJSON()).toEqual({
      Part: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
      Whole: {
        type: 'object',
        properties: {
          one: reference,
          other: { anyOf: [reference, { type: 'null' }] },
          more: { type: 'array', items: reference },
        },
        required: ['one', 'other', 'more'],
      },
    });
  });

  test('cannot share its name with another schema', () => {
    const components = new SchemaComponents();
    components.describe(part, 'output');
    const other = z.object({ weight: z.int() }).meta({ id: 'Part' });
    expect(() => components.describe(other, 'output')).toThrow('named Part');
  });

  test('cannot have different request and response forms', () => {
    const components = new SchemaComponents();
    const schema = z.strictObject({ size: z.int() }).meta({ id: 'Strict' });
    components.describe(schema, 'input');
    expect(() => components.describe(schema, 'output')).toThrow('named Strict');
  });
});

describe('SchemaComponents: a request schema', () => {
  const requestBody = z.strictObject({
    at: z.iso
      .datetime()
      .nullish()
      .transform((given) => given ?? null)
      .meta({ default: null, description: 'When.' }),
    size: z.int().min(3),
  });

  test('is described before its defaults are filled in, and tells the defaults without the keyword', () => {
    const described = new SchemaComponents().describe(requestBody, 'input');
    expect(described).toMatchObject({ required: ['size'], additionalProperties: false });
    expect(described.properties).toMatchObject({ at: { 'x-default': null, description: 'When. Default: `null`.' } });
    expect(JSON.stringify(described)).not.toContain('"default"');
  });

  test('accepts its own example', () => {
    const components = new SchemaComponents();
    const example = buildExample(components.describe(requestBody, 'input'), components);
    expect(example).toEqual({ at: null, size: 3 });
    expect(requestBody.safeParse(example).success).toBe(true);
  });
});

test('buildExample returns the example of the schema, or builds one from the examples of its parts', () => {
  const components = new SchemaComponents();
  const described = components.describe(
    z.object({
      named: z.string().meta({ examples: ['given'] }),
      kind: z.enum(['first', 'second']),
      fixed: z.literal('1.0'),
      isThere: z.boolean(),
      ids: z.array(z.string().meta({ format: 'uuid' })),
      part: part.meta({ examples: [{ size: 7 }] }),
    }),
    'output',
  );
  expect(buildExample(described, components)).toEqual({
    named: 'given',
    kind: 'first',
    fixed: '1.0',
    isThere: true,
    ids: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
    part: { size: 7 },
  });
});
