import type { Schemas } from '../../service/service.ts';

type Delivery = Schemas['Delivery'];
type Refusal = Schemas['Refusal'];

/** A hook that the service got. `at`: when it was received or refused. */
export type HookRow =
  | { readonly key: string; readonly at: string; readonly delivery: Delivery; readonly refusal: null }
  | { readonly key: string; readonly at: string; readonly delivery: null; readonly refusal: Refusal };

/** A part of a list by time. RFC 3339; null: without an end. */
export interface TimeSpan {
  /** This time or later. */
  readonly from: string | null;
  /** Before this time. */
  readonly to: string | null;
}

const toMs = (at: string) => Date.parse(at);

function isWithin(at: string, { from, to }: TimeSpan): boolean {
  return (from === null || toMs(at) >= toMs(from)) && (to === null || toMs(at) < toMs(to));
}

/** Returns the part of a time span that both spans have. */
export function intersect(a: TimeSpan, b: TimeSpan): TimeSpan {
  const pick = (x: string | null, y: string | null, choose: (...ms: number[]) => number) =>
    x === null || y === null ? (x ?? y) : new Date(choose(toMs(x), toMs(y))).toISOString();
  return { from: pick(a.from, b.from, Math.max), to: pick(a.to, b.to, Math.min) };
}

/** Merges deliveries and the refusals of a time span, the newest first. */
export function mergeHooks(
  deliveries: readonly Delivery[],
  refusals: readonly Refusal[],
  span: TimeSpan,
): readonly HookRow[] {
  const rows: HookRow[] = [
    ...deliveries.map((delivery) => ({
      key: delivery.eventId,
      at: delivery.receivedAt,
      delivery,
      refusal: null,
    })),
    ...refusals
      .filter(({ refusedAt }) => isWithin(refusedAt, span))
      .map((refusal) => ({ key: refusal.requestId, at: refusal.refusedAt, delivery: null, refusal })),
  ];
  // Stable: deliveries of the same time stay in the order of the service.
  return rows.sort((a, b) => toMs(b.at) - toMs(a.at));
}

interface PageOfDeliveries {
  readonly items: readonly Delivery[];
  readonly hasNext: boolean;
}

/**
 * Returns the time span whose refusals belong to a page of deliveries, so that each refusal is on one page. It begins
 * at the last delivery of the page and ends at the last delivery of the page before. The first page also has the newest
 * refusals, and the last page the oldest.
 */
export function toPageSpan({ items, hasNext }: PageOfDeliveries, lastOfPageBefore: Delivery | null): TimeSpan {
  return {
    from: hasNext ? (items.at(-1)?.receivedAt ?? null) : null,
    to: lastOfPageBefore?.receivedAt ?? null,
  };
}

/** The service keeps so many refusals of an integration. */
export const refusalsMax = 100;

/**
 * Returns the time before which refusals are no longer listed, if the span reaches beyond it. Null: the list covers
 * the whole span.
 */
export function findEndOfRefusals(refusals: readonly Refusal[], { from }: TimeSpan): string | null {
  const oldest = refusals.at(-1);
  if (refusals.length < refusalsMax || oldest === undefined) return null;
  return from === null || toMs(from) < toMs(oldest.refusedAt) ? oldest.refusedAt : null;
}

/** Counts the refused hooks of a time span, also those for which a listed one stands. */
export function countRefused(refusals: readonly Refusal[], span: TimeSpan): { count: number; isAtLeast: boolean } {
  const counted = refusals.filter(({ refusedAt }) => isWithin(refusedAt, span));
  return {
    count: counted.reduce((sum, { unlisted }) => sum + 1 + unlisted, 0),
    isAtLeast: findEndOfRefusals(refusals, span) !== null,
  };
}
