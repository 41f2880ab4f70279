import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import { z } from 'zod';
import { mistakeCodes } from '../http/problem.ts';
import type { ResponseHeaderName } from './headers.ts';

const mistakeSchema = z
  .object({
    detail: z.string().meta({ description: 'What is wrong, for people.' }),
    code: z.enum(mistakeCodes).meta({ description: 'What is wrong, for programs.' }),
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

/** The body of every refusal. */
export const problemSchema = z
  .object({
    type: z
      .string()
      .meta({ format: 'uri-reference', description: 'The address of the page that explains this kind of problem.' }),
    title: z.string().meta({ description: 'The kind of problem, for people.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request, for people.' }),
    instance: z
      .string()
      .meta({ format: 'uri', description: 'A URN for this one occurrence; it holds the `requestId`.' }),
    code: z.string().meta({
      description: 'The kind of problem, for programs. `/problems` explains every code; further ones may come.',
    }),
    requestId: z.string().meta({ format: 'uuid', description: 'Also in the header `X-Request-Id`.' }),
    errors: z
      .array(mistakeSchema)
      .max(20)
      .optional()
      .meta({ description: 'There with `invalid-request` and `invalid-idempotency-key`: what is wrong, and where.' }),
  })
  .meta({ id: 'Problem', description: 'Why a request is refused (RFC 9457).' });

/** A kind of server-sent event, by the names it comes under. */
export interface DescribedEvent {
  readonly names: readonly [string, ...string[]];
  readonly description: string;
  /** What the JSON text in `data` holds. */
  readonly data: z.ZodType;
  readonly hasId: boolean;
  readonly hasRetry: boolean;
}

/** What a route's documentation says of one status that it answers with. */
export interface ResponseDoc {
  /** Left out, the description of the body's schema. */
  readonly description?: string;
  /** Null when the answer has no body. */
  readonly body: z.ZodType | null;
  readonly mediaType?: string;
  /** What a stream of server-sent events carries, and how it looks. */
  readonly events?: readonly DescribedEvent[];
  readonly example?: string;
  /** Headers that every such answer has, and those that only some have. */
  readonly headers?: readonly ResponseHeaderName[];
  readonly optionalHeaders?: readonly ResponseHeaderName[];
}

export interface ResponseDocs {
  /** By status. */
  readonly own: Readonly<Record<string, ResponseDoc>>;
  readonly refusals: readonly ProblemCode[];
}

/**
 * What a route's documentation says of its answers: its own by status, each as a schema or with its headers, and the
 * codes that it refuses with. Codes that follow from policy, limit, query, body or method (`not-authenticated`,
 * `rate-limited`, `invalid-json`, `unavailable` and the like) are added by themselves and need not be named.
 *
 * Answers are typed where they are made and not walked through again when they are sent: this is documentation only,
 * in the form in which the framework lets it pass.
 */
export function documentResponses(
  own: Readonly<Record<number, z.ZodType | ResponseDoc>>,
  ...refusals: readonly ProblemCode[]
): { readonly default: ResponseDocs } {
  const described = Object.entries(own).map(([status, answer]) => {
    return [status, answer instanceof z.ZodType ? toResponseDoc(answer) : answer] as const;
  });
  return { default: { own: Object.fromEntries(described), refusals } };
}

/** `z.null()` stands for an answer without a body. */
function toResponseDoc(schema: z.ZodType): ResponseDoc {
  return {
    body: schema instanceof z.ZodNull ? null : schema,
    ...(schema.description === undefined ? {} : { description: schema.description }),
  };
}
