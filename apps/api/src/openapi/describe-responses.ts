import { problemKinds } from '../http/problem-kinds.ts';
import type { ResponseHeaderName } from '../schemas/headers.ts';
import { type DescribedEvent, problemSchema, type ResponseDoc } from '../schemas/problem.ts';
import { type DescribedRoute, describeSecurity, listRefusals } from './described-route.ts';
import { buildExample, type SchemaComponents } from './schema-components.ts';

type Part = Readonly<Record<string, unknown>>;

/** What a route answers and refuses with, by status. */
export function describeResponses(route: DescribedRoute, components: SchemaComponents): Part {
  const own = Object.entries(route.responses.own).map(
    ([status, answer]) => [status, answerResponse(answer, route, components)] as const,
  );
  const refused = [...listRefusals(route)].map(
    ([status, codes]) => [String(status), refusalResponse(status, codes, route, components)] as const,
  );
  return Object.fromEntries([...own, ...refused]);
}

function answerResponse(answer: ResponseDoc, { rateLimit }: DescribedRoute, components: SchemaComponents): Part {
  const { body, mediaType = 'application/json', headers = [], optionalHeaders = [], events } = answer;
  const schema =
    body === null ? null : { ...components.describe(body, 'output'), ...describeEvents(events, components) };
  const limit = rateLimit === 'api' ? limitHeaders : [];
  const description = answer.description ?? schema?.description ?? components.resolve(schema ?? {}).description;
  return {
    description: description ?? 'Done.',
    headers: describeHeaders(['X-Request-Id', ...headers], [...optionalHeaders, ...limit]),
    ...(schema === null
      ? {}
      : { content: { [mediaType]: { schema, example: answer.example ?? buildExample(schema, components) } } }),
  };
}

const limitHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/** The events of a stream, in the form that later versions of OpenAPI give a sequence of them. */
function describeEvents(events: readonly DescribedEvent[] | undefined, components: SchemaComponents): Part {
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

function refusalResponse(
  status: number,
  codes: readonly (keyof typeof problemKinds)[],
  route: DescribedRoute,
  components: SchemaComponents,
): Part {
  const takesBearer = describeSecurity(route)?.some((each) => 'provisionToken' in each) ?? false;
  const optional = [
    ...(status === 403 && takesBearer ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 ? limitHeaders : []),
  ];
  const required =
    status === 429 || status === 503 ? (['X-Request-Id', 'Retry-After'] as const) : (['X-Request-Id'] as const);
  return {
    description: codes.map((code) => `- \`${code}\`: ${problemKinds[code].detail}`).join('\n'),
    headers: describeHeaders(required, optional),
    content: {
      'application/problem+json': {
        schema: components.describe(problemSchema, 'output'),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** A header is described once for answers that all have it, and once for those that only may. */
function describeHeaders(required: readonly ResponseHeaderName[], optional: readonly ResponseHeaderName[]): Part {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, { $ref: `#/components/headers/Optional-${name}` }]),
  ]);
}
