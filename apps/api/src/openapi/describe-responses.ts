import { problemKinds } from '../http/problem-kinds.ts';
import type { ResponseHeaderName } from '../schemas/headers.ts';
import { type DescribedEvent, problemSchema, type ResponseDoc } from '../schemas/problem.ts';
import { type DescribedRoute, describeSecurity, listProblemCodes, selectRateLimit } from './described-route.ts';
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
  { policy }: DescribedRoute,
  components: SchemaComponents,
): OpenApiObject {
  const { body, mediaType = 'application/json', headers = [], optionalHeaders = [], events } = response;
  const schema =
    body === null ? null : { ...components.describe(body, 'output'), ...describeEvents(events, components) };
  // Optional, because a setting can switch the limit off.
  const limits = selectRateLimit(policy) === 'api' ? limitHeaders : [];
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
  const items = events.map(({ names, description, data, ...fields }) => {
    const contentSchema = components.describe(data, 'output');
    const own = {
      event: { type: 'string', enum: names },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema },
    };
    return { description, ...describeEventFields(own, fields) };
  });
  return { contentMediaType: 'text/event-stream', contentSchema: { type: 'array', items: { oneOf: items } } };
}

/** Describes the fields of a server-sent event: those given, and `id` and `retry` if it has them. */
export function describeEventFields(
  own: Readonly<Record<string, object>>,
  { hasId, hasRetry }: Pick<DescribedEvent, 'hasId' | 'hasRetry'>,
): OpenApiObject {
  const properties = {
    ...(hasId ? { id: { type: 'string', description: 'The position to resume from.' } } : {}),
    ...own,
    ...(hasRetry ? { retry: { type: 'integer', description: 'Milliseconds to wait before connecting again.' } } : {}),
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

function describeProblemResponse(
  status: number,
  codes: readonly (keyof typeof problemKinds)[],
  route: DescribedRoute,
  components: SchemaComponents,
): OpenApiObject {
  const acceptsBearer = describeSecurity(route).some((requirement) => 'provisionToken' in requirement);
  const optional = [
    ...(status === 403 && acceptsBearer ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 ? limitHeaders : []),
    ...(status < 500 ? (route.responses.problemHeaders ?? []) : []),
  ];
  const required = ['X-Request-Id', ...(status === 429 || status === 503 ? (['Retry-After'] as const) : [])] as const;
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

type Operations = Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>>;

/**
 * Turns each response to an error that several operations have into a component, which they refer to. So the document
 * says once what a missing session or a rate limit looks like. Returns the new paths, and the components by name: the
 * codes of the problems, for example `NotAuthenticatedOrPermissionDenied`.
 */
export function shareResponses(paths: Operations): { readonly paths: Operations; readonly responses: OpenApiObject } {
  const all = Object.values(paths).flatMap((path) => Object.values(path).map(({ responses }) => responses as object));
  const texts = all.flatMap((responses) => Object.values(responses).map((response) => JSON.stringify(response)));
  const repeated = new Set(texts.filter((text, index) => texts.indexOf(text) !== index));
  const components: Record<string, string> = {};
  const share = (response: OpenApiObject): OpenApiObject => {
    const text = JSON.stringify(response);
    const name = nameProblems(response);
    if (name === '' || !repeated.has(text)) return response;
    components[name] ??= text;
    // Another one with the same codes may have the name already.
    return components[name] === text ? { $ref: `#/components/responses/${name}` } : response;
  };
  const shareAll = (operation: OpenApiObject) => ({
    ...operation,
    responses: mapValues(operation.responses as Readonly<Record<string, OpenApiObject>>, share),
  });
  const shared = mapValues(paths, (path) => mapValues(path, shareAll));
  return { paths: shared, responses: mapValues(components, (text): OpenApiObject => JSON.parse(text)) };
}

/** Returns the codes of a response that has a problem as its body, as one name. Empty for another response. */
function nameProblems({ content }: OpenApiObject): string {
  const media = (content ?? {}) as Readonly<Record<string, { readonly examples?: object }>>;
  return Object.keys(media['application/problem+json']?.examples ?? {})
    .map((code) => `-${code}`.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');
}

function mapValues<Given, Made>(
  object: Readonly<Record<string, Given>>,
  make: (value: Given) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value)]));
}
