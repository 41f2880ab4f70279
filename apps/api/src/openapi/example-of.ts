import type { JsonSchema, SchemaComponents } from './schema-components.ts';

const exampleByFormat: Readonly<Record<string, string>> = {
  uuid: '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01',
  'date-time': '2026-03-01T09:30:00.000Z',
  email: 'kim@example.com',
  uri: 'https://widgets.example.com/',
};

/** An example of a schema: the one it brings itself, else one made of the examples of its parts. */
export function exampleOf(schema: JsonSchema, components: SchemaComponents): unknown {
  const resolved = { ...components.resolve(schema), ...schema };
  const { examples, enum: values, anyOf, type } = resolved;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in resolved) return resolved.const;
  if ('default' in resolved) return resolved.default;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema, components);
  return exampleOfType(Array.isArray(type) ? type[0] : type, resolved, components);
}

function exampleOfType(type: unknown, schema: JsonSchema, components: SchemaComponents): unknown {
  switch (type) {
    case 'object': {
      const members = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
      return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, components)]));
    }
    case 'array':
      return [exampleOf((schema.items ?? {}) as JsonSchema, components)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return exampleByFormat[String(schema.format)] ?? 'example';
    default:
      return null;
  }
}
