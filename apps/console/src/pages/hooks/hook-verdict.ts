import type { Schemas } from '../../service/service.ts';

type Delivery = Schemas['Delivery'];
type Refusal = Schemas['Refusal'];

/** What became of a hook that somebody looks for. */
export type Verdict =
  /** `refusedBefore`: how often the service refused it before, as far as that is still listed. */
  | { readonly kind: 'arrived'; readonly delivery: Delivery; readonly refusedBefore: number }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'never' };

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Whether the text may be an event id or the id of a widget. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** A hook that arrived counts, whatever happened before. `refusals`: those with its id, the newest first. */
export function toVerdict(delivery: Delivery | null, refusals: readonly Refusal[]): Verdict {
  if (delivery !== null) return { kind: 'arrived', delivery, refusedBefore: refusals.length };
  const [refusal] = refusals;
  return refusal === undefined ? { kind: 'never' } : { kind: 'refused', refusal };
}
