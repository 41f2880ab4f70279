import { refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import { z } from 'zod';
import { pageQuerySchema, queryWebhookId, toPageSchema } from '../schemas/page.ts';
import { mistakeSchema } from '../schemas/problem.ts';
import { timestamp } from '../schemas/text.ts';

/** One refused hook, with the problem that its sender got. */
const refusalSchema = z
  .object({
    requestId: z.string().meta({ format: 'uuid', description: 'The `requestId` of the problem and of the log line.' }),
    refusedAt: timestamp,
    code: z.string().meta({ description: 'The code of the problem. `/problems` explains every code.' }),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: 'The `detail` of the problem.' }),
    errors: z.array(mistakeSchema).max(20).meta({ description: 'The `errors` of the problem; empty if it had none.' }),
    clientAddress: z.string().nullable().meta({
      description:
        'The address of the sender: IPv4, or the /64 network of an IPv6 address. Null if the request came through a proxy that the service does not trust.',
    }),
    webhookId: z
      .string()
      .max(refusalLimits.webhookIdLength)
      .nullable()
      .meta({ description: 'The `webhook-id` that was sent, cut to 256 characters. Null if there was none.' }),
    unlisted: z.int().min(0).meta({
      description:
        'How many more hooks the same server process refused with this code in the same second. They are not listed.',
    }),
  })
  .meta({
    id: 'Refusal',
    description: 'A refused hook, with the problem that its sender got. It holds neither the token nor the body.',
    examples: [
      {
        requestId: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
        refusedAt: '2026-03-01T10:00:01.000Z',
        code: 'invalid-request',
        status: 400,
        detail: 'The request is not valid; "errors" names what is wrong.',
        errors: [{ detail: 'Must be given.', code: 'required', pointer: '#/occurredAt' }],
        clientAddress: '198.51.100.7',
        webhookId: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
        unlisted: 41,
      },
    ],
  });

export const listRefusalsQuerySchema = pageQuerySchema.extend({
  webhookId: queryWebhookId.describe(
    'Only refusals of hooks with this `webhook-id`. A refusal stores its first 256 characters, so only these count.',
  ),
});
export const refusalPageSchema = toPageSchema(refusalSchema);
