import { z } from 'zod';
import { mistakeCodes } from '../http/problem.ts';

const mistake = z.object({
  detail: z.string(),
  code: z.enum(mistakeCodes),
  pointer: z.string().optional(),
  parameter: z.string().optional(),
  header: z.string().optional(),
});

/** The body of every refusal. */
const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  code: z.string(),
  requestId: z.string().meta({ format: 'uuid' }),
  errors: z.array(mistake).max(20).optional(),
});

const content = {
  description: 'The request is refused; the body says why.',
  content: { 'application/problem+json': { schema: problemSchema } },
};

/**
 * What a route's documentation says of its answers. Answers are typed where they are made and not walked through
 * again when they are sent: this is documentation only.
 */
export function answers(own: Readonly<Record<number, object>>, ...refusals: number[]): unknown {
  return { ...own, ...Object.fromEntries(refusals.map((status) => [status, content])) };
}
