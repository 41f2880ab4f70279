import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import { z } from 'zod';
import { mistakeCodes } from '../http/problem.ts';
import type { ResponseHeaderName } from './headers.ts';
import { shownUuid } from './text.ts';

/** One of a problem's `errors`. */
export const mistakeSchema = z
  .object({
    detail: z.string().meta({ description: 'What is wrong, as text for people.' }),
    code: z.enum(mistakeCodes).meta({ description: 'What is wrong, as a code for programs.' }),
    pointer: z
      .string()
      .optional()
      .meta({
        description: 'A JSON pointer into the body (RFC 6901), as a URI fragment.',
        examples: ['#/owner/email'],
      }),
    parameter: z.string().optional().meta({ description: 'The name of a query parameter.' }),
    header: z.string().optional().meta({ description: 'The name of a header.' }),
  })
  .meta({
    id: 'Mistake',
    description: 'One mistake in a request, with exactly one of `pointer`, `parameter` and `header`.',
    examples: [{ detail: 'Must be given.', code: 'required', pointer: '#/name' }],
  });

/** The body of every error response. */
export const problemSchema = z
  .object({
    type: z
      .string()
      .meta({ format: 'uri-reference', description: 'The address of a page that explains this kind of problem.' }),
    title: z.string().meta({ description: 'The kind of problem, as text for people.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request, as text for people.' }),
    instance: z
      .string()
      .meta({ format: 'uri', description: 'A URN for this occurrence of the problem. It contains the `requestId`.' }),
    code: z.string().meta({
      description:
        'The kind of problem, as a code for programs. `/problems` explains every code. New codes may be added.',
    }),
    requestId: shownUuid.describe('The id of the request, also in the header `X-Request-Id`.'),
    errors: z.array(mistakeSchema).max(20).optional().meta({
      description:
        'Present with `invalid-request`, `invalid-idempotency-key` and `hook-not-mappable`: each mistake and its place.',
    }),
  })
  .meta({ id: 'Problem', description: 'Why a request failed (RFC 9457).' });

/** A kind of server-sent event, with its possible event names. */
export interface DescribedEvent {
  readonly names: readonly [string, ...string[]];
  readonly description: string;
  /** The schema of the JSON text in `data`. */
  readonly data: z.ZodType;
  readonly hasId: boolean;
  readonly hasRetry: boolean;
}

/** The documentation of one response status of a route. */
export interface ResponseDoc {
  /** By default, the description of the body's schema, else `Done.` */
  readonly description?: string;
  /** Null if the response has no body. */
  readonly body: z.ZodType | null;
  readonly mediaType?: string;
  /** The events that a stream of server-sent events can contain. */
  readonly events?: readonly DescribedEvent[];
  readonly example?: string;
  /** Headers that every such response has. */
  readonly headers?: readonly ResponseHeaderName[];
  /** Headers that only some of these responses have. */
  readonly optionalHeaders?: readonly ResponseHeaderName[];
}

export interface ResponseDocs {
  /** The successful responses, by status. */
  readonly own: Readonly<Record<string, ResponseDoc>>;
  readonly problemCodes: readonly ProblemCode[];
  /** Headers that some problems with a 4xx status have, besides those of every route. */
  readonly problemHeaders?: readonly ResponseHeaderName[];
}

/**
 * Documents the responses of a route: its successful ones by status, and the codes of its problems. Codes that follow
 * from the policy, the rate limit, the query, the body, the header `Idempotency-Key` or the method (such as
 * `not-authenticated`, `rate-limited`, `invalid-json` and `unavailable`) are added automatically (`listProblemCodes`).
 *
 * This is documentation only: nothing validates responses against it. It is wrapped in `default`, a key that Fastify
 * allows in a route's `response`.
 */
export function documentResponses(
  own: Readonly<Record<number, z.ZodType | ResponseDoc>>,
  ...problemCodes: readonly ProblemCode[]
): { readonly default: ResponseDocs } {
  const described = Object.entries(own).map(([status, response]) => {
    return [status, response instanceof z.ZodType ? toResponseDoc(response) : response] as const;
  });
  return { default: { own: Object.fromEntries(described), problemCodes } };
}

/** Adds headers that some of a route's problems with a 4xx status have. */
export function withProblemHeaders(
  responses: { readonly default: ResponseDocs },
  ...problemHeaders: readonly ResponseHeaderName[]
): { readonly default: ResponseDocs } {
  return { default: { ...responses.default, problemHeaders } };
}

/** `z.null()` stands for a response without a body. */
function toResponseDoc(schema: z.ZodType): ResponseDoc {
  return {
    body: schema instanceof z.ZodNull ? null : schema,
    ...(schema.description === undefined ? {} : { description: schema.description }),
  };
}
