import { type Widget, widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import { pageQuerySchema, queryTime, toPageSchema } from '../schemas/page.ts';
import { displayText, emailAddress, timestamp, utcTimeFormat, uuid } from '../schemas/text.ts';

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
      .transform((value) => value ?? 'active')
      .meta({ default: 'active', description: 'A widget may be created as `retired`, which is final.' }),
    labels: labels
      .nullish()
      .transform((value) => value ?? [])
      .meta({
        default: [],
        description:
          'Each label has 1 to 64 characters after trimming. Duplicates are dropped; at most 32 labels may remain.',
      }),
    owner: owner
      .nullish()
      .transform((value) => value ?? null)
      .meta({ default: null }),
  })
  .meta({ id: 'NewWidget', description: 'A widget to create.', examples: [exampleWidget] });

/** A widget in a response. Every member is always present. */
export const widgetSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    state: z.enum(widgetStates),
    labels: z.array(z.string()),
    owner: z
      .object({ userId: z.string().meta({ format: 'uuid' }), email: z.string(), notify: z.boolean() })
      .meta({ id: 'Owner' })
      .nullable(),
    createdAt: timestamp,
    updatedAt: timestamp.describe(
      'The latest of `createdAt` and the times at which the service received hooks for the widget.',
    ),
    retiredAt: timestamp.nullable().describe('When the widget was retired; null while it is active.'),
    lastEventAt: timestamp
      .nullable()
      .describe('When the latest event reported by a hook happened; null before the first hook.'),
    version: z.int().min(1).describe('1 when created, plus 1 for every distinct hook applied to the widget.'),
  })
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

export const listWidgetsQuerySchema = pageQuerySchema.extend({
  state: z.enum(widgetStates).optional().describe('Only widgets in this state.'),
  asOf: queryTime.optional().meta({
    ...utcTimeFormat,
    description:
      'Only widgets created up to this time, in UTC. If you leave it out, the service chooses a time and returns it. Send that time with the requests for further pages (as the `Link` header does), so that new widgets do not shift the pages.',
  }),
});

export const widgetPageSchema = toPageSchema(widgetSchema)
  .extend({
    asOf: timestamp.describe('Only widgets created up to this time are listed and counted.'),
    streamCursor: z
      .string()
      .nullable()
      .meta({
        description:
          'Send it as `lastEventId` to open a stream that misses no event after this list. Its first events may already be part of the list: compare `version`. Null until the server has read the event log for the first time.',
        examples: ['k3f9.1764000000000.1284'],
      }),
  })
  .meta({
    id: 'PagedResultWidget',
    description:
      'One page of widgets, newest first. `hasNext` is always exact. `totalItems` is exact up to 1 000; above that it may be five seconds old. If counting fails or takes longer than about a second, it is the last known total, or, without one, a lower bound.',
  });

/** Converts a widget to the form that the API returns. */
export function toWidgetBody(widget: Widget): WidgetBody {
  const { id, name, state, labels, owner, createdAt, updatedAt, retiredAt, lastEventAt, version } = widget;
  return {
    id,
    name,
    state,
    labels: [...labels],
    owner: owner === null ? null : { userId: owner.userId, email: owner.email, notify: owner.notify },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
    lastEventAt: lastEventAt?.toISOString() ?? null,
    version,
  } satisfies Record<keyof Widget, unknown>;
}

/** Renders a widget as the body of the 201 response, a JSON text. */
export function renderWidgetBody(widget: Widget): string {
  return JSON.stringify(toWidgetBody(widget));
}
