import { widgetEventTypes } from '@widget-service/shared/domain/event-kind.ts';
import { type Widget, widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import { timestamp } from './text.ts';

const exampleWidgetId = '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01';
export const exampleWidgetEvent = {
  specversion: '1.0',
  id: 'b7e05c1d-38a2-8f64-9d1b-6a4c2f7e9035',
  source: '/api/v1/integrations/3c8e1f70-52d4-4b9a-8e36-d1f7a05b2c49',
  type: 'widget.retired',
  subject: exampleWidgetId,
  time: '2026-03-02T10:59:58.000Z',
  datacontenttype: 'application/json',
  data: {
    origin: 'hook',
    receivedAt: '2026-03-02T11:00:00.250Z',
    late: false,
    stateChanged: true,
    widget: {
      id: exampleWidgetId,
      name: 'Pump 7',
      state: 'retired',
      labels: ['north', 'indoor'],
      owner: { userId: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24', notify: true },
      createdAt: '2026-03-01T09:30:00.000Z',
      updatedAt: '2026-03-02T11:00:00.250Z',
      retiredAt: '2026-03-02T10:59:58.000Z',
      lastEventAt: '2026-03-02T10:59:58.000Z',
      version: 2,
    },
    payload: { pressure: 0 },
  },
} as const;
/** The widget in an event. It lacks the owner's e-mail, because anybody who has the stream's address can read it. */
const widgetSnapshotSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    state: z.enum(widgetStates),
    labels: z.array(z.string()),
    owner: z.object({ userId: z.string().meta({ format: 'uuid' }), notify: z.boolean() }).nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    retiredAt: timestamp.nullable(),
    lastEventAt: timestamp.nullable(),
    version: z.int().min(1),
  } satisfies Record<keyof Widget, z.ZodType>)
  .meta({
    id: 'WidgetSnapshot',
    description: 'The widget as it was at `version`, without the e-mail address of its owner.',
  });

/** What a stream sends in `data:` of a widget event, and what a delivery shows. */
export const widgetEventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().meta({
      format: 'uuid',
      description: 'The same id whenever the event is sent again. Use it to drop duplicates.',
    }),
    source: z.string().meta({
      format: 'uri-reference',
      description:
        '`/api/v1/widgets` for a widget created through this API; for a hook, the integration that it was posted to: `/api/v1/integrations/{id}`.',
    }),
    type: z.enum(widgetEventTypes),
    subject: z
      .string()
      .optional()
      .meta({ format: 'uuid', description: 'The id of the widget; left out if the hook had no `widgetId`.' }),
    time: z.string().meta({
      format: 'date-time',
      description:
        'When the event happened: for a hook, as the sender wrote it; for a widget created through this API, its `createdAt`.',
    }),
    datacontenttype: z.literal('application/json'),
    data: z.object({
      origin: z
        .enum(['api', 'hook'])
        .meta({ description: '`api`: the widget was created through this API. `hook`: the event came from a hook.' }),
      receivedAt: timestamp.meta({ description: 'When the service accepted the event.' }),
      late: z.boolean().meta({
        description:
          'Whether the event happened before the `lastEventAt` that the widget had when the event was applied.',
      }),
      stateChanged: z
        .boolean()
        .meta({ description: 'Whether the event changed the state of the widget. True for `origin: "api"`.' }),
      widget: widgetSnapshotSchema.nullable().meta({ description: 'Null if the hook does not name a known widget.' }),
      payload: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({ description: 'The content attached by the sender, as it was sent; null if there was none.' }),
    }),
  })
  .meta({
    id: 'WidgetEvent',
    description: 'One CloudEvents 1.0 object in the JSON event format.',
    examples: [exampleWidgetEvent],
  });
