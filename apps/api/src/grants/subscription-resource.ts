import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Subscription } from '@widget-service/shared/entities/grant.ts';
import type { z } from 'zod';
import type { GrantResource } from './grant-resource.ts';
import { rotationSchema, toGrantBody } from './grant-schema.ts';
import {
  issuedSubscriptionSchema,
  newSubscriptionSchema,
  subscriptionChangesSchema,
  subscriptionSchema,
} from './subscription-schema.ts';

type SubscriptionBody = z.output<typeof subscriptionSchema>;

/** `/api/v1/subscriptions`: grants to open streams, each with a filter. */
export const subscriptionResource: GrantResource<Pick<Subscription, 'filter'>> = {
  nouns: { singular: 'a subscription', plural: 'subscriptions' },
  pathSegment: 'subscriptions',
  operationGroup: 'subscriptions',
  schemas: {
    creation: newSubscriptionSchema,
    changes: subscriptionChangesSchema,
    rotation: rotationSchema,
    shown: subscriptionSchema,
    issued: issuedSubscriptionSchema,
    rotated: issuedSubscriptionSchema,
  },
  toBody: (grant): SubscriptionBody => ({
    ...toGrantBody(grant, { filter: toFilterBody(grant.filter) }),
    lastConnectedAt: grant.lastUsedAt?.toISOString() ?? null,
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
