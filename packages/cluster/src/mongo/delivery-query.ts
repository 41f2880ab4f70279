import type { DeliveryFilter, DeliveryState, ReceptionRange } from '@widget-service/shared/ports/delivery-ledger.ts';
import { type Filter, UUID } from 'mongodb';
import { toBsonUuid } from './bson-uuid.ts';
import type { DeliveryDocument } from './delivery-document.ts';
import { deliveryIndexes } from './indexes.ts';

/** Returns the query of a list. */
export function toQuery(filter: DeliveryFilter): Filter<DeliveryDocument> {
  const inTimeRange = toRangeQuery(filter);
  // `get` accepts any text as an id, so this does too: a text that is no UUID selects no row.
  if ('widgetId' in filter) return { widgetId: toBsonUuid(filter.widgetId) ?? { $in: [] }, ...inTimeRange };
  const { integrationId, state } = filter;
  const inAnyState = { ...(integrationId === null ? {} : { integrationId }), ...inTimeRange };
  if (state === null) return inAnyState;
  // Finds received rows by the TTL index: they are the few rows without `expiresAt`, besides dead ones. `as never`: the
  // type has no null, but in a query null matches a missing field.
  return { ...inAnyState, state, ...(state === 'received' ? { expiresAt: null as never } : {}) };
}

function toRangeQuery({ receivedFrom, receivedBefore, listedAfter }: ReceptionRange): Filter<DeliveryDocument> {
  const receivedAt = {
    ...(receivedFrom === undefined ? {} : { $gte: receivedFrom }),
    ...(receivedBefore === undefined ? {} : { $lt: receivedBefore }),
    // With it, the second branch of `$or` means: the same time, and a smaller id. It also bounds the index range.
    ...(listedAfter === undefined ? {} : { $lte: listedAfter.receivedAt }),
  };
  return {
    ...(Object.keys(receivedAt).length === 0 ? {} : { receivedAt }),
    ...(listedAfter === undefined
      ? {}
      : { $or: [{ receivedAt: { $lt: listedAfter.receivedAt } }, { _id: { $lt: new UUID(listedAfter.eventId) } }] }),
  };
}

/** Returns the name of the index through which the list is read. */
export function selectIndex(filter: DeliveryFilter): string {
  if ('widgetId' in filter) return deliveryIndexes.byWidget;
  const indexes = filter.integrationId === null ? indexesOfAll : indexesOfIntegration;
  return indexes[filter.state ?? 'published'];
}

/** Published rows need no index of their own, because nearly all rows are published. */
const indexesOfIntegration: Readonly<Record<DeliveryState, string>> = {
  received: deliveryIndexes.byExpiry,
  published: deliveryIndexes.byAge,
  dead: deliveryIndexes.deadByAge,
  discarded: deliveryIndexes.discardedByAge,
};

const indexesOfAll: Readonly<Record<DeliveryState, string>> = {
  received: deliveryIndexes.byExpiry,
  published: deliveryIndexes.ofAllByAge,
  dead: deliveryIndexes.deadOfAllByAge,
  discarded: deliveryIndexes.discardedOfAllByAge,
};
