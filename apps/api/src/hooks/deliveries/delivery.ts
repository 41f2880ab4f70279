import type { PageRequest } from '@widget-service/shared/domain/page.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import {
  type DeliverySummary,
  deadReasons,
  deliveryStates,
  type LedgerRow,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { type CountedPage, readNames } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { z } from 'zod';
import { toBody, toJsonWith } from '../../schemas/body.ts';
import { pageQuerySchema, queryTime, queryWebhookId, toPageBody, toPageSchema } from '../../schemas/page.ts';
import { shownUuid, timestamp } from '../../schemas/text.ts';
import { widgetEventSchema } from '../../schemas/widget.ts';

const effectSchema = z
  .object({
    version: z.int().min(1).meta({ description: 'The `version` of the widget right after the hook.' }),
    state: z.enum(widgetStates).meta({ description: 'The state of the widget right after the hook.' }),
    stateChanged: z.boolean().meta({ description: 'Whether the hook changed the state.' }),
    late: z.boolean().meta({
      description:
        'Whether the hook tells of something that happened before the `lastEventAt` that the widget had when the hook was applied.',
    }),
  })
  .meta({ description: 'What a hook changed in its widget.' });

const deliveryShape = z.object({
  eventId: shownUuid.describe('The event id: the `Webhook-Event-Id` of the 202 response.'),
  integrationId: shownUuid.describe('The integration that posted the hook.'),
  integrationName: z
    .string()
    .nullable()
    .meta({ description: 'The name that the integration has now. Null if it is deleted.' }),
  kind: z.string().meta({
    description: '`created`, `updated` or `retired`. A dead letter that could not be parsed may have any text here.',
  }),
  occurredAt: z.string().meta({ description: 'The `occurredAt` of the hook, as the sender wrote it.' }),
  receivedAt: timestamp,
  widgetId: shownUuid.nullable(),
  state: z.enum(deliveryStates).meta({
    description:
      '`received`: a worker has registered it. `published`: its event is in the event log. `dead`: it cannot be processed. It stays dead until it is redriven or discarded. `discarded`: it was dead, and its payload is erased.',
  }),
  attempts: z.int().min(0).meta({
    description:
      'How many times a worker has registered it, other than as a duplicate. 0 for a dead letter that could not be registered.',
  }),
  duplicates: z.int().min(0).meta({ description: 'How many repetitions of the hook were dropped.' }),
  reason: z.enum(deadReasons).nullable().meta({
    description:
      'Why it is a dead letter. `invalid-delivery`: its queue item is malformed, or processing it fails every time. `store-refused`: the store will never accept it. Null if it is neither dead nor discarded.',
  }),
  publishedAt: timestamp.nullable(),
  position: z.string().nullable().meta({
    description:
      'The position of its event in the event log. Null before publication, and also if an earlier attempt had already written the event to the log.',
  }),
  effect: effectSchema.nullable().meta({
    description:
      'What the hook changed in its widget. Null before publication, and if the hook names no known widget. Also null if a version of the service without this member published it.',
  }),
});

const example = {
  eventId: '060223bc-ebbe-8cb6-8b7f-c374291aa2b0',
  integrationId: '7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91',
  integrationName: 'Plant north',
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
  effect: null,
} as const;

/** The state of one accepted hook. */
export const deliverySchema = deliveryShape.meta({
  id: 'Delivery',
  description:
    'The state of an accepted hook. It appears once a worker has registered the hook or made it a dead letter, usually within a second after the 202.',
  examples: [example],
});

export const deliveryWithPayloadSchema = deliveryShape
  .extend({
    payload: z.unknown().meta({
      description:
        'The content attached by the sender, as it was sent; null if there was none, and if the delivery is discarded.',
    }),
    event: widgetEventSchema.nullable().meta({
      description:
        'The event as streams send it. Null before publication, when the event log no longer holds it or does not answer, and if `position` is null.',
    }),
  })
  .meta({
    id: 'DeliveryWithPayload',
    description: 'The state of an accepted hook, with its payload and its event.',
    examples: [{ ...example, payload: { reason: 'worn' }, event: null }],
  });

/** So a page of 200 is below a megabyte. */
export const largestListedPayloadBytes = 4_096;

const deliveryOfWidgetSchema = deliveryShape
  .extend({
    payload: z.unknown().meta({
      description: `The content attached by the sender, as it was sent. Null if there was none, if the delivery is discarded, and if the content is longer than ${largestListedPayloadBytes} bytes.`,
    }),
  })
  .meta({
    id: 'DeliveryOfWidget',
    description: 'The state of an accepted hook that names a widget, with a short payload.',
    examples: [{ ...example, payload: { reason: 'worn' } }],
  });

export const listDeliveriesOfWidgetQuerySchema = pageQuerySchema.extend({
  from: queryTime('Only deliveries received at this time or later, in UTC.'),
  to: queryTime(
    'Only deliveries received before this time, in UTC. Send it, so that new ones do not shift further pages.',
  ),
});

export const listAllDeliveriesQuerySchema = pageQuerySchema.extend({
  state: z.enum(deliveryStates).optional().describe('Only deliveries in this state.'),
  ...listDeliveriesOfWidgetQuerySchema.shape,
});

export const listDeliveriesQuerySchema = listAllDeliveriesQuerySchema.extend({
  webhookId: queryWebhookId.describe(
    'Only the delivery of the hook that was sent with this `webhook-id`: at most one. With a `source`: of the hook for which its mapping read this `id`.',
  ),
});

export const deliveryPageSchema = toPageSchema(deliverySchema);
export const deliveryOfWidgetPageSchema = toPageSchema(deliveryOfWidgetSchema);

type DeliveryBody = z.output<typeof deliverySchema>;

/** Converts a delivery to the form that the API returns. `integrationName` null: the integration is deleted. */
export function toDeliveryBody(row: DeliverySummary, integrationName: string | null): DeliveryBody {
  const position = row.position === null ? null : formatPosition(row.position);
  return toBody(deliveryShape, { ...row, integrationName, position });
}

/** Renders one page of deliveries of any integrations. Throws `UnavailableError`. */
export async function toDeliveryPageBody(
  request: PageRequest,
  rows: CountedPage<DeliverySummary>,
  integrations: Pick<Collection<Integration>, 'list'>,
) {
  const names = await readNames(integrations, [...new Set(rows.items.flatMap((row) => row?.integrationId ?? []))]);
  return toPageBody(request, rows, (row) => toDeliveryBody(row, names.get(row.integrationId) ?? null));
}

/** Renders such a page as JSON text, each delivery with its payload. `payloads` are JSON texts, by event id. */
export function toDeliveryPageText(
  { items, ...page }: Awaited<ReturnType<typeof toDeliveryPageBody>>,
  payloads: ReadonlyMap<string, string>,
): string {
  const texts = items.map((item) => toJsonWith(item, { payload: payloads.get(item.eventId) ?? 'null' }));
  return toJsonWith(page, { items: `[${texts.join(',')}]` });
}

/**
 * Renders a delivery with its payload and its event as JSON text. Both keep their original text: digits and member
 * order. `eventJson` null: the event is not known.
 */
export function toDeliveryText(row: LedgerRow, integrationName: string, eventJson: string | null): string {
  return toJsonWith(toDeliveryBody(row, integrationName), {
    payload: row.payload ?? 'null',
    event: eventJson ?? 'null',
  });
}

/** Converts `from` and `to` of a request to what the ledger selects by. */
export function toReceptionRange({
  from,
  to,
}: Pick<z.output<typeof listDeliveriesOfWidgetQuerySchema>, 'from' | 'to'>) {
  return {
    ...(from === undefined ? {} : { receivedFrom: from }),
    ...(to === undefined ? {} : { receivedBefore: to }),
  };
}
