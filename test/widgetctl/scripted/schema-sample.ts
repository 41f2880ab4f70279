import type { Json, OpenApiDocument } from '../../drivers/app/openapi-document.ts';

/** Makes a value that a schema of the OpenAPI document allows, with this text wherever a text may be. */
export function sampleSchema(document: OpenApiDocument, schema: Json, text: string): unknown {
  const sample = (inner: unknown) => sampleSchema(document, inner as Json, text);
  if (typeof schema.$ref === 'string') {
    const [, , group = '', name = ''] = schema.$ref.split('/');
    return sample(document.components[group]?.[name]);
  }
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const variants = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (variants !== undefined) return sample(variants.find(({ type }) => type !== 'null'));
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map(sample));
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== 'null') : schema.type;
  if (type === 'object') {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
    return properties.length === 0
      ? { [text]: text }
      : Object.fromEntries(properties.map(([name, inner]) => [name, sample(inner)]));
  }
  if (type === 'array') return [sample(schema.items)];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  return type === 'boolean' ? false : text;
}
