import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import { displayText, emailAddress, timestamp, uuid } from './text.ts';

const labelsMax = 32;

const exampleOwner = {
  userId: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24',
  email: 'kim@example.com',
  notify: true,
} as const;
const exampleWidget = { name: 'Pump 7', state: 'active', labels: ['north', 'indoor'], owner: exampleOwner } as const;

const labels = z
  .array(displayText(1, 64))
  .transform((given) => [...new Set(given)])
  .check(({ value, issues }) => {
    if (value.length <= labelsMax) return;
    issues.push({ code: 'too_big', origin: 'array', maximum: labelsMax, inclusive: true, input: value });
  });

const owner = z
  .strictObject({
    userId: uuid.describe('The user who owns the widget; the service does not look whether there is one.'),
    email: emailAddress,
    notify: z
      .boolean()
      .nullish()
      .transform((given) => given ?? false)
      .meta({
        default: false,
        description: 'Whether the owner wishes to be told of events. It is kept and shown, no more.',
      }),
  })
  .meta({ id: 'NewOwner' });

/** What a caller sends to create a widget; defaults filled in, ready for the use case. */
export const newWidgetSchema = z
  .strictObject({
    name: displayText(1, 200).describe('Trimmed, then 1 to 200 characters without control characters.'),
    state: z
      .enum(widgetStates)
      .nullish()
      .transform((given) => given ?? 'active')
      .meta({ default: 'active', description: 'A widget may be created retired; `retired` is final.' }),
    labels: labels
      .nullish()
      .transform((given) => given ?? [])
      .meta({
        default: [],
        description: 'Trimmed, 1 to 64 characters each; repeated ones are dropped, at most 32 may be left.',
      }),
    owner: owner
      .nullish()
      .transform((given) => given ?? null)
      .meta({ default: null }),
  })
  .meta({ id: 'NewWidget', description: 'A widget to create.', examples: [exampleWidget] });

/** A widget as it is returned: every field is always present. */
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
    updatedAt: timestamp.describe('The latest of `createdAt` and the times at which hooks for it were received.'),
    retiredAt: timestamp.nullable().describe('When it was retired; null while it is active.'),
    lastEventAt: timestamp
      .nullable()
      .describe('When the latest thing that a hook told of it happened; null before the first.'),
    version: z.int().min(1).describe('1, and one more for every distinct hook for it.'),
  })
  .meta({
    id: 'Widget',
    description: 'A widget; every member is always there.',
    examples: [
      {
        id: '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01',
        ...exampleWidget,
        createdAt: '2026-03-01T09:30:00.000Z',
        updatedAt: '2026-03-02T11:00:00.250Z',
        retiredAt: null,
        lastEventAt: '2026-03-02T10:59:58.000Z',
        version: 2,
      },
    ],
  });
export type WidgetBody = z.output<typeof widgetSchema>;
