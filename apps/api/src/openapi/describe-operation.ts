import type { z } from 'zod';
import { type RequestParameterName, requestParameters } from '../schemas/headers.ts';
import { describeResponses } from './describe-responses.ts';
import { type DescribedRoute, describeSecurity } from './described-route.ts';
import { describePermission, findTag, pathParameterTexts } from './interface-text.ts';
import { buildExample, type JsonSchema, type OpenApiObject, type SchemaComponents } from './schema-components.ts';

/** Describes a route as an Operation Object of OpenAPI 3.1. */
export function describeOperation(route: DescribedRoute, components: SchemaComponents): OpenApiObject {
  const parameters = describeRouteParameters(route, components);
  return {
    operationId: route.operationId,
    ...describeGeneratedName(route.operationId),
    tags: [findTag(route.path)],
    summary: route.summary,
    description: [route.description, describePermission(route.policy)].filter((text) => text !== null).join('\n\n'),
    security: describeSecurity(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === null ? {} : { requestBody: describeRequestBody(route.body, route.bodyLimit, components) }),
    responses: describeResponses(route, components),
  };
}

/**
 * Returns the name of `example.widgets.list` without its prefix: `list` in the group `widgets`. Speakeasy reads these
 * two extensions. oapi-codegen 2.8 and openapi-python-client 0.29 read no extension for the name of an operation.
 */
function describeGeneratedName(operationId: string): OpenApiObject {
  const [, group, name] = operationId.split('.');
  return { 'x-speakeasy-group': group, 'x-speakeasy-name-override': name };
}

function describeRouteParameters(route: DescribedRoute, components: SchemaComponents): OpenApiObject[] {
  return [
    ...describePathParameters(route, components),
    ...describeQueryParameters(route.querystring, components),
    ...route.parameters.map(toParameterReference),
  ];
}

function describePathParameters({ path, params }: DescribedRoute, components: SchemaComponents): OpenApiObject[] {
  const described = params === null ? {} : listProperties(components.describe(params, 'input'));
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description = pathParameterTexts[name], ...schema }: JsonSchema = described[name] ?? { type: 'string' };
    return { name, in: 'path', required: true, description, schema };
  });
}

function describeQueryParameters(querystring: z.ZodType | null, components: SchemaComponents): OpenApiObject[] {
  if (querystring === null) return [];
  const schema = components.describe(querystring, 'input');
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries(listProperties(schema)).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function toParameterReference(name: RequestParameterName): OpenApiObject {
  return { $ref: `#/components/parameters/${name}` };
}

/** Describes the parameters that operations refer to by name. */
export function describeParameters(components: SchemaComponents): OpenApiObject {
  return Object.fromEntries(
    Object.entries(requestParameters).map(([name, { in: location, schema }]) => {
      const { description, ...rest } = components.describe(schema, 'input');
      return [name, { name, in: location, required: false, description, schema: rest }];
    }),
  );
}

function listProperties(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>;
}

function describeRequestBody(
  body: z.ZodType,
  bodyLimit: number | undefined,
  components: SchemaComponents,
): OpenApiObject {
  const schema = components.describe(body, 'input');
  const isOptional = body.safeParse(undefined).success;
  return {
    description: `At most ${bodyLimit} bytes.`,
    required: !isOptional,
    content: { 'application/json': { schema, example: buildExample(schema, components) } },
  };
}
