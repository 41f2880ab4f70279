import { widgetEventTypes } from '@widget-service/shared/domain/event-kind.ts';
import { newWidgetDefaults, type Widget, widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import { toBody } from './body.ts';
import { displayText, emailAddress, shownUuid, timestamp, uuid } from './text.ts';

const labelsMax = 32;

const exampleOwner = {
  userId: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24',
  email: 'kim@example.com',
  notify: true,
} as const;
const exampleWidget = { name: 'Pump 7', state: 'active', labels: ['north', 'indoor'], owner: exampleOwner } as const;

const labels = z
  .array(displayText(1, 64))
  .transform((value) => [...new Set(value)])
  .check(({ value, issues }) => {
    if (value.length <= labelsMax) return;
    issues.push({ code: 'too_big', origin: 'array', maximum: labelsMax, inclusive: true, input: value });
  });

const owner = z
  .strictObject({
    userId: uuid.describe('The user who owns the widget. The service does not check that this user exists.'),
    email: emailAddress,
    notify: z
      .boolean()
      .nullish()
      .transform((value) => value ?? false)
      .meta({
        default: false,
        description:
          'Whether the owner wishes to be notified of events. The service stores and returns it, but sends no notifications.',
      }),
  })
  .meta({ id: 'NewOwner' });

/** The body that creates a widget. The parsed value has its defaults filled in and is the use case's input. */
export const newWidgetSchema = z
  .strictObject({
    name: displayText(1, 200).describe(
      '1 to 200 characters after trimming, without control characters and invisible ones.',
    ),
    state: z
      .enum(widgetStates)
      .nullish()
      .transform((value) => value ?? newWidgetDefaults.state)
      .meta({ default: newWidgetDefaults.state, description: 'A widget may be created as `retired`, which is final.' }),
    labels: labels
      .nullish()
      .transform((value) => value ?? newWidgetDefaults.labels)
      .meta({
        default: newWidgetDefaults.labels,
        description:
          'Each label has 1 to 64 characters after trimming. Duplicates are dropped; at most 32 labels may remain.',
      }),
    owner: owner
      .nullish()
      .transform((value) => value ?? newWidgetDefaults.owner)
      .meta({ default: newWidgetDefaults.owner }),
  })
  .meta({ id: 'NewWidget', description: 'A widget to create.', examples: [exampleWidget] });

/** A widget in a response. Every member is always present. */
export const widgetSchema = z
  .object({
    id: shownUuid,
    name: z.string(),
    state: z.enum(widgetStates),
    labels: z.array(z.string()),
    owner: z.object({ userId: shownUuid, email: z.string(), notify: z.boolean() }).meta({ id: 'Owner' }).nullable(),
    createdAt: timestamp,
    updatedAt: timestamp.describe(
      'The latest of `createdAt` and the times at which the service received hooks for the widget.',
    ),
    retiredAt: timestamp.nullable().describe('When the widget was retired; null while it is active.'),
    lastEventAt: timestamp
      .nullable()
      .describe('When the latest event reported by a hook happened; null before the first hook.'),
    version: z.int().min(1).describe('1 when created, plus 1 for every distinct hook applied to the widget.'),
  } satisfies Record<keyof Widget, z.ZodType>)
  .meta({
    id: 'Widget',
    description: 'A widget. Every member is always present.',
    examples: [
      {
        id: '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01',
        ...exampleWidget,
        createdAt: '2026-03-01T09:30:00.000Z',
        updatedAt: '2026-03-01T09:30:00.000Z',
        retiredAt: null,
        lastEventAt: null,
        version: 1,
      },
    ],
  });
export type WidgetBody = z.output<typeof widgetSchema>;

/** Converts a widget to the form that the API returns. */
export function toWidgetBody(widget: Widget): WidgetBody {
  return toBody(widgetSchema, widget);
}

/** Renders a widget as the body of the 201 response, a JSON text. */
export function renderWidgetBody(widget: Widget): string {
  return JSON.stringify(toWidgetBody(widget));
}

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
    id: shownUuid,
    name: z.string(),
    state: z.enum(widgetStates),
    labels: z.array(z.string()),
    owner: z.object({ userId: shownUuid, notify: z.boolean() }).nullable(),
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
    id: shownUuid.describe('The same id whenever the event is sent again. Use it to drop duplicates.'),
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
