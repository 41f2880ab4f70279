import { z } from 'zod';

/** A JSON Schema of the 2020-12 draft, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type OpenApiObject = Readonly<Record<string, unknown>>;

type SchemaUse = 'input' | 'output';

/** The named schemas of the document, collected while its operations are described. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>();

  /**
   * Converts a zod schema to JSON Schema. `input` describes a request, before defaults are filled in; `output`
   * describes a response. A schema with an `id` in its metadata becomes a component of that name, and a reference is
   * returned. Throws an `Error` if two different schemas have the same name, or if the two forms of one schema differ.
   */
  describe(schema: z.ZodType, use: SchemaUse): JsonSchema {
    // As a property, the schema gets no `$schema`, and one with an `id` is a reference to a definition.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ described: schema }), {
      io: use,
      override: ({ zodSchema, jsonSchema }) => tidySchema(jsonSchema, z.globalRegistry.get(zodSchema) ?? {}, use),
    });
    const finish = (json: object | boolean) => finishSchema(json, use);
    for (const [name, definition] of Object.entries($defs)) this.#add(name, finish(definition));
    return finish(properties?.described ?? {});
  }

  /** The component that a reference points to; a schema that is no reference is returned unchanged. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = String(schema.$ref ?? '').replace(componentPrefix, '');
    return this.#schemas.get(name) ?? schema;
  }

  /** Returns all components collected so far, sorted by name. */
  toJSON(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, schema: JsonSchema): void {
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}, or its request and response forms differ: give each its own id`);
    }
    this.#schemas.set(name, schema);
  }
}

const componentPrefix = '#/components/schemas/';

/** Removes what readers of the document do not need from zod's JSON Schema, and adds what zod leaves out. */
function tidySchema(schema: Record<string, unknown>, metadata: Record<string, unknown>, use: SchemaUse): void {
  // Zod leaves these out of the `input` form of a schema with a transform. Ours are values of the input.
  for (const member of ['default', 'examples']) if (member in metadata) schema[member] = metadata[member];
  // Zod gives an integer without a bound the one of safe integers.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // The format says the same as zod's pattern, and is readable. A pattern in the metadata says more.
  if ('format' in schema && !('pattern' in metadata)) delete schema.pattern;
  // Responses may get new members within a version, so their objects must stay open.
  if (use === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
}

/**
 * Makes references to definitions references to components. In a request, tells the defaults of members in words and
 * not by the keyword `default`: openapi-typescript would make such a member required, which is right in a response
 * only.
 */
function finishSchema(schema: object | boolean, use: SchemaUse): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', `"${componentPrefix}`);
  return JSON.parse(text, (key, value) => {
    if (use !== 'input' || key !== 'properties') return value;
    return Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, describeDefault(member)]));
  });
}

function describeDefault(member: JsonSchema): JsonSchema {
  if (!('default' in member)) return member;
  const { default: value, description, ...rest } = member;
  const sentence = `Default: \`${JSON.stringify(value)}\`.`;
  return {
    ...rest,
    description: description === undefined ? sentence : `${description} ${sentence}`,
    'x-default': value,
  };
}

const exampleByFormat: Readonly<Record<string, string>> = {
  uuid: '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01',
  'date-time': '2026-03-01T09:30:00.000Z',
  email: 'kim@example.com',
  uri: 'https://widgets.example.com/',
};

/** Returns an example of a schema: its own if it has one, else one built from the examples of its parts. */
export function buildExample(schema: JsonSchema, components: SchemaComponents): unknown {
  const resolved = { ...components.resolve(schema), ...schema };
  const { examples, enum: values, anyOf, type } = resolved;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in resolved) return resolved.const;
  if ('default' in resolved) return resolved.default;
  if ('x-default' in resolved) return resolved['x-default'];
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return buildExample(anyOf[0] as JsonSchema, components);
  return buildExampleForType(Array.isArray(type) ? type[0] : type, resolved, components);
}

function buildExampleForType(type: unknown, schema: JsonSchema, components: SchemaComponents): unknown {
  switch (type) {
    case 'object': {
      const members = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
      return Object.fromEntries(members.map(([name, member]) => [name, buildExample(member, components)]));
    }
    case 'array':
      return [buildExample((schema.items ?? {}) as JsonSchema, components)];
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
