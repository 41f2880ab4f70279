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
export const problemSchema = z.object({
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

/** What a route's documentation says of its refusals. */
export function problems<const Status extends number>(...statuses: Status[]): Record<Status, typeof content> {
  return Object.fromEntries(statuses.map((status) => [status, content])) as Record<Status, typeof content>;
}
