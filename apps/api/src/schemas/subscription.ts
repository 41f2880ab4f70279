import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { widgetEventTypes } from '@widget-service/shared/domain/widget-event.ts';
import { z } from 'zod';
import {
  grantChangeMembers,
  grantHead,
  grantTail,
  newGrantMembers,
  previousExpiresAtMember,
  tokenMember,
  urlMember,
} from './grant.ts';
import { displayText, forArrayLength, timestamp, uuid } from './text.ts';

const filterValuesMax = 100;

const filterText =
  'What a subscription lets through. Every member that is given must match; of the values of one, any. `states` matches the state before or after the event, `labels` any of the widget’s, `widgetIds` the id as it was sent. At most 100 values each; null lets everything through.';
const exampleFilter = { types: ['widget.retired'], widgetIds: null, states: null, labels: ['north'] };

/** The values that one member of a filter lets through; null, or left out: all. */
function filterValues<Value extends z.ZodType>(value: Value) {
  return z
    .array(value)
    .min(1, forArrayLength)
    .transform((given) => [...new Set(given)])
    .check(({ value: values, issues }) => {
      if (values.length <= filterValuesMax) return;
      issues.push({ code: 'too_big', origin: 'array', maximum: filterValuesMax, inclusive: true, input: values });
    })
    .nullish()
    .transform((given) => given ?? null)
    .meta({ default: null });
}

const filter = z
  .strictObject({
    types: filterValues(z.enum(widgetEventTypes)),
    widgetIds: filterValues(uuid),
    states: filterValues(z.enum(widgetStates)),
    labels: filterValues(displayText(1, 64)),
  })
  .meta({ id: 'NewEventFilter', description: filterText, examples: [exampleFilter] });

export const newSubscriptionSchema = z
  .strictObject({
    ...newGrantMembers,
    filter: filter
      .nullish()
      .transform((given) => given ?? noFilter)
      .meta({ default: null }),
  })
  .transform((input) => ({ input, isSigned: false }))
  .meta({ id: 'NewSubscription', examples: [{ name: 'Control room', filter: exampleFilter }] });

/** A filter that is given replaces the one there is as a whole. */
export const subscriptionChangesSchema = z
  .strictObject({
    ...grantChangeMembers,
    filter: filter
      .nullable()
      .transform((given) => given ?? noFilter)
      .exactOptional(),
  })
  .meta({ id: 'SubscriptionChanges', examples: [{ filter: exampleFilter }] });

const subscriptionShape = z.object({
  ...grantHead,
  filter: z
    .object({
      types: z.array(z.enum(widgetEventTypes)).nullable(),
      widgetIds: z.array(z.string().meta({ format: 'uuid' })).nullable(),
      states: z.array(z.enum(widgetStates)).nullable(),
      labels: z.array(z.string()).nullable(),
    })
    .meta({ id: 'EventFilter', description: filterText, examples: [exampleFilter] }),
  ...grantTail,
  lastConnectedAt: timestamp.nullable().describe('When a stream was last opened with it, to the minute.'),
});

export const subscriptionSchema = subscriptionShape.meta({
  id: 'Subscription',
  description: 'The right to stream events.',
});

/** With `rotatedSubscriptionSchema` the only answers that ever show the token. */
const issuedShape = subscriptionShape.extend({ ...tokenMember, ...urlMember });
export const issuedSubscriptionSchema = issuedShape.meta({ id: 'IssuedSubscription' });
export const rotatedSubscriptionSchema = issuedShape
  .extend(previousExpiresAtMember)
  .meta({ id: 'RotatedSubscription' });
