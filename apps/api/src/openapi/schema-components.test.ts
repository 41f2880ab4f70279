import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SchemaComponents } from './schema-components.ts';

const part = z.object({ size: z.int() }).meta({ id: 'Part' });

describe('SchemaComponents: a named schema', () => {
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
});
