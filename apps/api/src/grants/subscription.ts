import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { widgetEventTypes } from '@widget-service/shared/domain/event-kind.ts';
import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { forArrayLength } from '@widget-service/shared/entities/define-entity.ts';
import type { Subscription } from '@widget-service/shared/entities/grant.ts';
import { z } from 'zod';
import { displayText, shownUuid, uuid } from '../schemas/text.ts';
import {
  describeShown,
  type GrantResource,
  grantChangeMembers,
  newGrantMembers,
  rotationSchema,
  urlMember,
} from './grant-schema.ts';

const filterValuesMax = 100;

const filterDescription =
  'Which events a subscription receives. An event must match every member that is not null, by at least one of its values. `states` matches the state before or after the event, `labels` any label of the widget, `widgetIds` the widget id that was sent. At most 100 values each; null matches every event.';
const exampleFilter = { types: ['widget.retired'], widgetIds: null, states: null, labels: ['north'] };

/** The values of one member of a filter. Null, the default: every event passes, also one without a value. */
function filterValues<Value extends z.ZodType>(value: Value) {
  return z
    .array(value)
    .min(1, forArrayLength)
    .transform((value) => [...new Set(value)])
    .check(({ value: values, issues }) => {
      if (values.length <= filterValuesMax) return;
      issues.push({ code: 'too_big', origin: 'array', maximum: filterValuesMax, inclusive: true, input: values });
    })
    .nullish()
    .transform((value) => value ?? null)
    .meta({ default: null });
}

const filter = z
  .strictObject({
    types: filterValues(z.enum(widgetEventTypes)),
    widgetIds: filterValues(uuid),
    states: filterValues(z.enum(widgetStates)),
    labels: filterValues(displayText(1, 64)),
  })
  .meta({ id: 'NewEventFilter', description: filterDescription, examples: [exampleFilter] });

const { shown, issued, toBody } = describeShown({
  id: 'Subscription',
  description: 'A grant to stream events.',
  own: {
    filter: z
      .object({
        types: z.array(z.enum(widgetEventTypes)).nullable(),
        widgetIds: z.array(shownUuid).nullable(),
        states: z.array(z.enum(widgetStates)).nullable(),
        labels: z.array(z.string()).nullable(),
      })
      .meta({ id: 'EventFilter', description: filterDescription, examples: [exampleFilter] }),
  },
  lastUse: 'lastConnectedAt',
  lastUseText: 'When a stream was last opened with it, accurate to a minute.',
  secrets: urlMember,
});

/** `/api/v1/subscriptions`: grants to open streams, each with a filter. */
export const subscriptionResource: GrantResource<Pick<Subscription, 'filter'>> = {
  singular: 'a subscription',
  pathSegment: 'subscriptions',
  operationGroup: 'subscriptions',
  schemas: {
    creation: z
      .strictObject({
        ...newGrantMembers,
        filter: filter
          .nullish()
          .transform((value) => value ?? noFilter)
          .meta({ default: null }),
      })
      .transform((input) => ({ input, isSigned: false }))
      .meta({ id: 'NewSubscription', examples: [{ name: 'Control room', filter: exampleFilter }] }),
    // A new filter replaces the whole current filter.
    changes: z
      .strictObject({
        ...grantChangeMembers,
        filter: filter
          .nullable()
          .transform((value) => value ?? noFilter)
          .exactOptional(),
      })
      .meta({ id: 'SubscriptionChanges', examples: [{ filter: exampleFilter }] }),
    rotation: rotationSchema,
    shown,
    issued,
  },
  toBody,
  toTokenPath: (token) => `/api/v1/events/${token}`,
};
