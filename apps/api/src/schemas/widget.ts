import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import { emailAddress, personalText, timestamp, uuid } from './text.ts';

const labelsMax = 32;

const labels = z
  .array(personalText(1, 64))
  .transform((given) => [...new Set(given)])
  .check(({ value, issues }) => {
    if (value.length <= labelsMax) return;
    issues.push({ code: 'too_big', origin: 'array', maximum: labelsMax, inclusive: true, input: value });
  });

const owner = z.strictObject({
  userId: uuid,
  email: emailAddress,
  notify: z
    .boolean()
    .nullish()
    .transform((given) => given ?? false)
    .meta({ default: false }),
});

/** What a caller sends to create a widget; defaults filled in, ready for the use case. */
export const newWidgetSchema = z.strictObject({
  name: personalText(1, 200),
  state: z
    .enum(widgetStates)
    .nullish()
    .transform((given) => given ?? 'active')
    .meta({ default: 'active' }),
  labels: labels
    .nullish()
    .transform((given) => given ?? [])
    .meta({ default: [] }),
  owner: owner
    .nullish()
    .transform((given) => given ?? null)
    .meta({ default: null }),
});

/** A widget as it is returned: every field is always present. */
export const widgetSchema = z.object({
  id: z.string().meta({ format: 'uuid' }),
  name: z.string(),
  state: z.enum(widgetStates),
  labels: z.array(z.string()),
  owner: z.object({ userId: z.string().meta({ format: 'uuid' }), email: z.string(), notify: z.boolean() }).nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  retiredAt: timestamp.nullable(),
  lastEventAt: timestamp.nullable(),
  version: z.int().min(1),
});
export type WidgetBody = z.output<typeof widgetSchema>;
