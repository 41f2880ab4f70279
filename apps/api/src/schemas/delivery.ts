import { deadReasons, deliveryStates } from '@widget-service/shared/ports/delivery-ledger.ts';
import { z } from 'zod';
import { pageQuerySchema, toPageSchema } from './page.ts';
import { timestamp } from './text.ts';

const deliveryShape = z.object({
  eventId: z.string().meta({ format: 'uuid', description: 'The `Webhook-Event-Id` of the 202.' }),
  kind: z.string().meta({ description: '`created`, `updated` or `retired`; anything where it could not be read.' }),
  occurredAt: z.string().meta({ description: 'As it was sent.' }),
  receivedAt: timestamp,
  widgetId: z.string().meta({ format: 'uuid' }).nullable(),
  state: z.enum(deliveryStates).meta({
    description: '`received`: a worker has taken it; `published`: its event is in the log; `dead`: it was given up.',
  }),
  attempts: z.int().min(0).meta({ description: 'How many runs have taken it.' }),
  duplicates: z.int().min(0).meta({ description: 'How many repetitions of it were dropped.' }),
  reason: z.enum(deadReasons).nullable().meta({ description: 'Why it is dead.' }),
  publishedAt: timestamp.nullable(),
  position: z.string().nullable().meta({
    description: 'Where its event stands in the log; null also where another run had put it there.',
  }),
});

const example = {
  eventId: '060223bc-ebbe-8cb6-8b7f-c374291aa2b0',
  kind: 'retired',
  occurredAt: '2026-03-01T10:00:00.123456Z',
  receivedAt: '2026-03-01T10:00:01.000Z',
  widgetId: '0195c0de-0000-7000-8000-000000000001',
  state: 'dead',
  attempts: 1,
  duplicates: 0,
  reason: 'store-refused',
  publishedAt: null,
  position: null,
} as const;

/** What became of one accepted hook. */
export const deliverySchema = deliveryShape.meta({
  id: 'Delivery',
  description: 'What became of an accepted hook.',
  examples: [example],
});

export const deliveryWithPayloadSchema = deliveryShape
  .extend({
    payload: z.unknown().meta({ description: 'What the sender attached, as it was written; null when nothing was.' }),
  })
  .meta({
    id: 'DeliveryWithPayload',
    description: 'What became of an accepted hook, and what it carried.',
    examples: [{ ...example, payload: { reason: 'worn' } }],
  });

export const listDeliveriesQuerySchema = pageQuerySchema.extend({
  state: z.enum(deliveryStates).optional().describe('Only deliveries in this state.'),
});

export const deliveryPageSchema = toPageSchema(deliverySchema);
