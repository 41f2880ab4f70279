import type { z } from 'zod';
import { buildProblem, problemCodes } from '../http/problem.ts';
import { requestParameters, responseHeaders } from '../schemas/headers.ts';
import { describeResponses, shareResponses } from './describe-responses.ts';
import { type DescribedRoute, describeSecurity } from './described-route.ts';
import { describePermission, findTag, info, listTags, pathParameterTexts, securitySchemes } from './interface-text.ts';
import { buildExample, type JsonSchema, type OpenApiObject, SchemaComponents } from './schema-components.ts';

/**
 * Builds the OpenAPI document. `publicBaseUrl` is the public address of the service, without a trailing slash. Null:
 * the root of the server that the document came from. Throws an `Error` if a path has no tag (`findTag`), or if two
 * schemas have one name (`SchemaComponents.describe`).
 */
export function describeInterface(routes: readonly DescribedRoute[], publicBaseUrl: string | null): object {
  // Each description adds its schemas to `components`, so `toJSON` comes last.
  const components = new SchemaComponents();
  const described: Record<string, Record<string, OpenApiObject>> = {};
  for (const route of routes) {
    described[route.path] = { ...described[route.path], [route.method]: describeOperation(route, components) };
  }
  const { paths, responses } = shareResponses(described);
  const text = JSON.stringify([paths, responses]);
  const selectUsed = (kind: string, members: Readonly<Record<string, object>>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: publicBaseUrl ?? '/' }],
    tags: listTags(Object.keys(paths)),
    paths,
    components: {
      responses,
      parameters: selectUsed('parameters', describeParameters()),
      headers: selectUsed('headers', describeHeaders()),
      examples: selectUsed('examples', buildProblemExamples()),
      securitySchemes,
      schemas: components.toJSON(),
    },
  };
}

function describeOperation(route: DescribedRoute, components: SchemaComponents): OpenApiObject {
  // Speakeasy reads two extensions, `list` in the group `widgets` of `example.widgets.list`, as the name without its
  // prefix. oapi-codegen 2.8 and openapi-python-client 0.29 read no extension for the name of an operation.
  const [, group, name] = route.operationId.split('.');
  const parameters = [
    ...describePathParameters(route, components),
    ...describeQueryParameters(route.querystring, components),
    ...route.parameters.map((header) => ({ $ref: `#/components/parameters/${header}` })),
  ];
  return {
    operationId: route.operationId,
    'x-speakeasy-group': group,
    'x-speakeasy-name-override': name,
    tags: [findTag(route.path)],
    summary: route.summary,
    description: [route.description, describePermission(route.policy)].filter((text) => text !== null).join('\n\n'),
    security: describeSecurity(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === null ? {} : { requestBody: describeRequestBody(route.body, route.bodyLimit, components) }),
    responses: describeResponses(route, components),
  };
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

function listProperties(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>;
}

function describeRequestBody(
  body: z.ZodType,
  bodyLimit: number | undefined,
  components: SchemaComponents,
): OpenApiObject {
  const schema = components.describe(body, 'input');
  return {
    description: `At most ${bodyLimit} bytes.`,
    required: !body.safeParse(undefined).success,
    content: { 'application/json': { schema, example: buildExample(schema, components) } },
  };
}

/** Describes the parameters that operations refer to by name. */
function describeParameters(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(requestParameters).map(([name, { in: location, description, ...rest }]) => {
      return [name, { name, in: location, required: false, description, schema: { type: 'string', ...rest } }];
    }),
  );
}

/** Describes each header twice, because a reference to a header cannot change `required`. */
function describeHeaders(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(responseHeaders).flatMap(([name, { description, ...rest }]) => {
      const schema = { type: 'string', ...rest };
      return [
        [name, { description, required: true, schema }],
        [`Optional-${name}`, { description, schema }],
      ];
    }),
  );
}

const exampleRequestId = '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01';

function buildProblemExamples(): Record<string, object> {
  return Object.fromEntries(
    problemCodes.map((code) => {
      const errors = [{ detail: 'Must be given.', code: 'required', pointer: '#/name' }] as const;
      const value = buildProblem(code === 'invalid-request' ? { code, errors } : { code }, exampleRequestId);
      return [code, { summary: value.title, value }];
    }),
  );
}
