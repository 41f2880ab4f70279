import { problemKinds } from '../http/problem-kinds.ts';
import type { ResponseHeaderName } from '../schemas/headers.ts';
import { type DescribedEvent, problemSchema, type ResponseDoc } from '../schemas/problem.ts';
import { type DescribedRoute, describeSecurity, listProblemCodes } from './described-route.ts';
import { buildExample, type OpenApiObject, type SchemaComponents } from './schema-components.ts';

/** Describes the responses of a route, successful ones and problems, as a Responses Object of OpenAPI 3.1. */
export function describeResponses(route: DescribedRoute, components: SchemaComponents): OpenApiObject {
  const own = Object.entries(route.responses.own).map(
    ([status, response]) => [status, describeOwnResponse(response, route, components)] as const,
  );
  const problems = [...listProblemCodes(route)].map(
    ([status, codes]) => [String(status), describeProblemResponse(status, codes, route, components)] as const,
  );
  return Object.fromEntries([...own, ...problems]);
}

function describeOwnResponse(
  response: ResponseDoc,
  { rateLimit }: DescribedRoute,
  components: SchemaComponents,
): OpenApiObject {
  const { body, mediaType = 'application/json', headers = [], optionalHeaders = [], events } = response;
  const schema =
    body === null ? null : { ...components.describe(body, 'output'), ...describeEvents(events, components) };
  // Optional, because a setting can switch the limit off.
  const limits = rateLimit === 'api' ? limitHeaders : [];
  const description = response.description ?? schema?.description ?? components.resolve(schema ?? {}).description;
  return {
    description: description ?? 'Done.',
    headers: referToHeaders(['X-Request-Id', ...headers], [...optionalHeaders, ...limits]),
    ...(schema === null
      ? {}
      : { content: { [mediaType]: { schema, example: response.example ?? buildExample(schema, components) } } }),
  };
}

const limitHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/**
 * Describes the events of a stream. Each event has the form that OpenAPI 3.2 uses for server-sent events. OpenAPI 3.1
 * has no keyword for a sequence of events, so the sequence is described as an array in `contentSchema`.
 */
function describeEvents(events: readonly DescribedEvent[] | undefined, components: SchemaComponents): OpenApiObject {
  if (events === undefined) return {};
  const items = events.map(({ names, description, data, hasId, hasRetry }) => ({
    description,
    type: 'object',
    required: [...(hasId ? ['id'] : []), 'event', 'data', ...(hasRetry ? ['retry'] : [])],
    properties: {
      ...(hasId ? { id: { type: 'string', description: 'The position to resume from.' } } : {}),
      event: { type: 'string', enum: names },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: components.describe(data, 'output'),
      },
      ...(hasRetry ? { retry: { type: 'integer', description: 'Milliseconds to wait before connecting again.' } } : {}),
    },
  }));
  return { contentMediaType: 'text/event-stream', contentSchema: { type: 'array', items: { oneOf: items } } };
}

function describeProblemResponse(
  status: number,
  codes: readonly (keyof typeof problemKinds)[],
  route: DescribedRoute,
  components: SchemaComponents,
): OpenApiObject {
  const acceptsBearer = describeSecurity(route)?.some((requirement) => 'provisionToken' in requirement) ?? false;
  const optional = [
    ...(status === 403 && acceptsBearer ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 ? limitHeaders : []),
    ...(status < 500 ? (route.responses.problemHeaders ?? []) : []),
  ];
  const required =
    status === 429 || status === 503 ? (['X-Request-Id', 'Retry-After'] as const) : (['X-Request-Id'] as const);
  return {
    description: codes.map((code) => `- \`${code}\`: ${problemKinds[code].detail}`).join('\n'),
    headers: referToHeaders(required, optional),
    content: {
      'application/problem+json': {
        schema: components.describe(problemSchema, 'output'),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** Refers to the headers. The document describes each one twice: as always present, and as optional. */
function referToHeaders(
  required: readonly ResponseHeaderName[],
  optional: readonly ResponseHeaderName[],
): OpenApiObject {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, { $ref: `#/components/headers/Optional-${name}` }]),
  ]);
}

type Paths = Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>>;

/**
 * Turns each response to an error that several operations have into a component, which they refer to. So the document
 * says once what a missing session or a rate limit looks like. Returns the new paths, and the components by name: the
 * codes of the problems, for example `NotAuthenticatedOrPermissionDenied`.
 */
export function shareResponses(paths: Paths): { readonly paths: Paths; readonly responses: OpenApiObject } {
  const counts = new Map<string, number>();
  for (const response of Object.values(paths).flatMap((path) => Object.values(path).flatMap(listProblemResponses))) {
    counts.set(response, (counts.get(response) ?? 0) + 1);
  }
  const responses: Record<string, OpenApiObject> = {};
  const share = (response: OpenApiObject): OpenApiObject => {
    const text = JSON.stringify(response);
    if ((counts.get(text) ?? 0) < 2) return response;
    const name = nameResponse(response);
    responses[name] ??= response;
    // Another one with the same codes has the name already.
    if (JSON.stringify(responses[name]) !== text) return response;
    return { $ref: `#/components/responses/${name}` };
  };
  const shareAll = (operation: OpenApiObject) => ({
    ...operation,
    responses: mapValues(operation.responses as Readonly<Record<string, OpenApiObject>>, share),
  });
  return { paths: mapValues(paths, (path) => mapValues(path, shareAll)), responses };
}

/** Returns the text of each response that has a problem as its body. */
function listProblemResponses({ responses }: OpenApiObject): string[] {
  const all = Object.values(responses as Readonly<Record<string, OpenApiObject>>);
  return all.filter((response) => listNamedCodes(response).length > 0).map((response) => JSON.stringify(response));
}

function listNamedCodes({ content }: OpenApiObject): string[] {
  const media = (content ?? {}) as Readonly<Record<string, { readonly examples?: object }>>;
  return Object.keys(media['application/problem+json']?.examples ?? {});
}

function nameResponse(response: OpenApiObject): string {
  return listNamedCodes(response)
    .map((code) => `-${code}`.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');
}

function mapValues<Given, Made>(
  object: Readonly<Record<string, Given>>,
  make: (value: Given) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value)]));
}
