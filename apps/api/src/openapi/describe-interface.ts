import { makeReadOnce, sendKept, toKeptDocument } from '../http/kept-content.ts';
import { buildProblem } from '../http/problem.ts';
import { problemCodes } from '../http/problem-kinds.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { responseHeaders } from '../schemas/headers.ts';
import { describeOperation, describeParameters } from './describe-operation.ts';
import { shareResponses } from './describe-responses.ts';
import type { DescribedRoute } from './described-route.ts';
import { info, listTags, securitySchemes } from './interface-text.ts';
import { type OpenApiObject, SchemaComponents } from './schema-components.ts';

export interface OpenApiRouteDeps {
  /** Read at the first request: `collectDescribedRoutes` adds to it. */
  readonly describedRoutes: readonly DescribedRoute[];
  readonly publicBaseUrl: string | null;
}

/** `GET /api/v1/openapi.json`: the OpenAPI document. It is built at the first request. */
export function openApiRoute({ describedRoutes, publicBaseUrl }: OpenApiRouteDeps): Route {
  const read = makeReadOnce(() => toKeptDocument(describeInterface(describedRoutes, publicBaseUrl)));
  return defineRoute({
    schema: { hide: true },
    handler: async (request, reply) => sendKept(request, reply, await read()),
  });
}

/**
 * Builds the whole document. `publicBaseUrl` is the public address of the service, without a trailing slash. Null: the
 * root of the server that the document came from. Throws an `Error` if a path has no tag (`findTag`), or if two schemas
 * have one name (`SchemaComponents.describe`).
 */
export function describeInterface(routes: readonly DescribedRoute[], publicBaseUrl: string | null): object {
  // Each description adds its schemas to `components`, so `toJSON` comes last.
  const components = new SchemaComponents();
  const described: Record<string, Record<string, OpenApiObject>> = {};
  for (const route of routes) {
    described[route.path] = { ...described[route.path], [route.method]: describeOperation(route, components) };
  }
  const { paths, responses } = shareResponses(described);
  const parameters = describeParameters(components);
  const headers = describeHeaders(components);
  const document = {
    openapi: '3.1.1',
    info,
    servers: [{ url: publicBaseUrl ?? '/' }],
    tags: listTags(Object.keys(paths)),
    paths,
    components: {
      schemas: components.toJSON(),
      responses,
      parameters,
      headers,
      examples: buildProblemExamples(),
      securitySchemes,
    },
  };
  return removeUnusedComponents(document);
}

/** Describes each header twice, because a reference to a header cannot change `required`. */
function describeHeaders(components: SchemaComponents): Record<string, object> {
  return Object.fromEntries(
    Object.entries(responseHeaders).flatMap(([name, schema]) => {
      const { description, ...rest } = components.describe(schema, 'output');
      return [
        [name, { description, required: true, schema: rest }],
        [`Optional-${name}`, { description, schema: rest }],
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

interface Document {
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Removes the parameters, headers and examples that no operation refers to. */
function removeUnusedComponents<Given extends Document>(document: Given): Given {
  const text = JSON.stringify(document);
  const isUsed = (kind: string, name: string) => text.includes(`"#/components/${kind}/${name}"`);
  const kept = Object.entries(document.components).map(([kind, members]) => {
    if (kind === 'schemas' || kind === 'securitySchemes') return [kind, members] as const;
    return [kind, Object.fromEntries(Object.entries(members).filter(([name]) => isUsed(kind, name)))] as const;
  });
  return { ...document, components: Object.fromEntries(kept) };
}
