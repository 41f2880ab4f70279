import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Subscription } from '@widget-service/shared/ports/grant-store.ts';
import type { z } from 'zod';
import { rotationSchema } from '../../schemas/grant.ts';
import {
  issuedSubscriptionSchema,
  newSubscriptionSchema,
  rotatedSubscriptionSchema,
  subscriptionChangesSchema,
  subscriptionSchema,
} from '../../schemas/subscription.ts';
import type { GrantResource } from './grant-resource.ts';

type SubscriptionBody = z.output<typeof subscriptionSchema>;

/** `/api/v1/subscriptions`: who may read the event stream, and what of it. */
export const subscriptionResource: GrantResource<Pick<Subscription, 'filter'>> = {
  words: { one: 'a subscription', many: 'subscriptions' },
  plural: 'subscriptions',
  operations: 'subscriptions',
  permission: 'subscriptions:manage',
  schemas: {
    creation: newSubscriptionSchema,
    changes: subscriptionChangesSchema,
    rotation: rotationSchema,
    shown: subscriptionSchema,
    issued: issuedSubscriptionSchema,
    rotated: rotatedSubscriptionSchema,
  },
  toBody: ({ id, name, filter, expiresAt, createdAt, lastUsedAt }): SubscriptionBody => ({
    id,
    name,
    filter: toFilterBody(filter),
    expiresAt: expiresAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    lastConnectedAt: lastUsedAt?.toISOString() ?? null,
  }),
  toTokenPath: (token) => `/api/v1/events/${token}`,
};

function toFilterBody({ types, widgetIds, states, labels }: EventFilter): SubscriptionBody['filter'] {
  return {
    types: types === null ? null : [...types],
    widgetIds: widgetIds === null ? null : [...widgetIds],
    states: states === null ? null : [...states],
    labels: labels === null ? null : [...labels],
  };
}
