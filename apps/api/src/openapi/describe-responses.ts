import { problemKinds } from '../http/problem-kinds.ts';
import type { ResponseHeaderName } from '../schemas/headers.ts';
import { type DescribedEvent, problemSchema, type RouteAnswer } from '../schemas/problem.ts';
import type { DescribedRoute } from './described-route.ts';
import { exampleOf } from './example-of.ts';
import { refusalsOf } from './route-refusals.ts';
import { securityOf } from './route-security.ts';
import type { SchemaComponents } from './schema-components.ts';

type Part = Readonly<Record<string, unknown>>;

/** What a route answers and refuses with, by status. */
export function describeResponses(route: DescribedRoute, components: SchemaComponents): Part {
  const own = Object.entries(route.answers.own).map(
    ([status, answer]) => [status, answerResponse(answer, route, components)] as const,
  );
  const refused = [...refusalsOf(route)].map(
    ([status, codes]) => [String(status), refusalResponse(status, codes, route, components)] as const,
  );
  return Object.fromEntries([...own, ...refused]);
}

function answerResponse(answer: RouteAnswer, { rateLimit }: DescribedRoute, components: SchemaComponents): Part {
  const { body, mediaType = 'application/json', headers = [], optionalHeaders = [], events } = answer;
  const schema = body === null ? null : { ...components.describe(body, 'output'), ...contentOf(events, components) };
  const limit = rateLimit === 'api' ? limitHeaders : [];
  const description = answer.description ?? schema?.description ?? components.resolve(schema ?? {}).description;
  return {
    description: description ?? 'Done.',
    headers: headersOf(['X-Request-Id', ...headers], [...optionalHeaders, ...limit]),
    ...(schema === null
      ? {}
      : { content: { [mediaType]: { schema, example: answer.example ?? exampleOf(schema, components) } } }),
  };
}

const limitHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/** The events of a stream, in the form that later versions of OpenAPI give a sequence of them. */
function contentOf(events: readonly DescribedEvent[] | undefined, components: SchemaComponents): Part {
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
  const takesBearer = securityOf(route)?.some((each) => 'provisionToken' in each) ?? false;
  const optional = [
    ...(status === 403 && takesBearer ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 ? limitHeaders : []),
  ];
  const required =
    status === 429 || status === 503 ? (['X-Request-Id', 'Retry-After'] as const) : (['X-Request-Id'] as const);
  return {
    description: codes.map((code) => `- \`${code}\`: ${problemKinds[code].detail}`).join('\n'),
    headers: headersOf(required, optional),
    content: {
      'application/problem+json': {
        schema: components.describe(problemSchema, 'output'),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** A header is described once for answers that all have it, and once for those that only may. */
function headersOf(required: readonly ResponseHeaderName[], optional: readonly ResponseHeaderName[]): Part {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, { $ref: `#/components/headers/Optional-${name}` }]),
  ]);
}
