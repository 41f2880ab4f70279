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
