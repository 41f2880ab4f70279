import { z } from 'zod';

/** A JSON Schema of the 2020-12 draft, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type SchemaUse = 'input' | 'output';

/** The named schemas of the document, gathered while its operations are described. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>();

  /**
   * A zod schema in the form of the document: what is sent (`input`) is described before its defaults are filled in,
   * what is answered (`output`) as it is. A schema with an `id` in its metadata becomes a component of that name.
   */
  describe(schema: z.ZodType, use: SchemaUse): JsonSchema {
    // Inside of another, the schema itself is named like those it holds.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ described: schema }), {
      io: use,
      override: ({ zodSchema, jsonSchema }) => tidy(jsonSchema, z.globalRegistry.get(zodSchema) ?? {}, use),
    });
    for (const [name, definition] of Object.entries($defs)) this.#add(name, toComponentReferences(definition));
    return toComponentReferences(properties?.described ?? {});
  }

  /** The schema that a reference stands for. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = String(schema.$ref ?? '').replace(componentPrefix, '');
    return this.#schemas.get(name) ?? schema;
  }

  toJSON(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, schema: JsonSchema): void {
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}, or one is both sent and answered in different forms`);
    }
    this.#schemas.set(name, schema);
  }
}

const componentPrefix = '#/components/schemas/';

/** What zod writes is right, but tells more, or less, than a reader of the document needs. */
function tidy(schema: Record<string, unknown>, metadata: Record<string, unknown>, use: SchemaUse): void {
  // Zod leaves these out where the sent form differs from the one that is handed on; they are told for the sent form.
  for (const member of ['default', 'examples']) if (member in metadata) schema[member] = metadata[member];
  // The bounds of safe integers say nothing.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // The format says the same, and is readable.
  if ('format' in schema) delete schema.pattern;
  // Answers may get further members within a version, so the description must not close their objects.
  if (use === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
}

function toComponentReferences(schema: object | boolean): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${componentPrefix}`)) as JsonSchema;
}

const exampleByFormat: Readonly<Record<string, string>> = {
  uuid: '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01',
  'date-time': '2026-03-01T09:30:00.000Z',
  email: 'kim@example.com',
  uri: 'https://widgets.example.com/',
};

/** An example of a schema: the one it brings itself, else one made of the examples of its parts. */
export function buildExample(schema: JsonSchema, components: SchemaComponents): unknown {
  const resolved = { ...components.resolve(schema), ...schema };
  const { examples, enum: values, anyOf, type } = resolved;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in resolved) return resolved.const;
  if ('default' in resolved) return resolved.default;
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
