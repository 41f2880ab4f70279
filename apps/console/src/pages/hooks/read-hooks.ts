import type { Page } from '../../parts/paged-list.tsx';
import { api, type Schemas } from '../../service/service.ts';
import type { HookState } from './hook-filter.ts';
import {
  countRefused,
  findEndOfRefusals,
  type HookRow,
  intersect,
  mergeHooks,
  refusalsMax,
  type TimeSpan,
  toPageSpan,
} from './hook-rows.ts';
import { readableMax } from './redrive-many.ts';

/** Deliveries per page. The page has the refusals of the same time besides. */
const pageSize = 25;

/** One page of the hooks of an integration. */
export interface HookPage extends Page<HookRow> {
  /** Refusals before this time are no longer listed, although the page reaches beyond it. Else null. */
  readonly endOfRefusals: string | null;
}

interface HookQuery {
  readonly state: HookState;
  readonly span: TimeSpan;
  readonly page: number;
}

/** Reads a page of the hooks that an integration got: deliveries, refusals, or both merged by time. */
export async function readHooks(id: string, query: HookQuery, signal: AbortSignal): Promise<HookPage> {
  const { state, span, page } = query;
  if (state === 'refused') {
    const refusals = await readRefusals(id, signal);
    const endOfRefusals = findEndOfRefusals(refusals, span);
    return { items: mergeHooks([], refusals, span), page: 1, totalPages: 1, hasNext: false, endOfRefusals };
  }
  if (state !== 'all') {
    const deliveries = await readDeliveries(id, { state, span, page, pageSize }, signal);
    return { ...deliveries, items: mergeHooks(deliveries.items, [], span), endOfRefusals: null };
  }
  const [deliveries, before, refusals] = await Promise.all([
    readDeliveries(id, { span, page, pageSize }, signal),
    readLastBefore(id, page, span, signal),
    readRefusals(id, signal),
  ]);
  const pageSpan = intersect(span, toPageSpan(deliveries, before));
  return {
    ...deliveries,
    items: mergeHooks(deliveries.items, refusals, pageSpan),
    endOfRefusals: findEndOfRefusals(refusals, pageSpan),
  };
}

/** Reads the last delivery of the page before this one. Null for the first page. */
async function readLastBefore(id: string, page: number, span: TimeSpan, signal: AbortSignal) {
  if (page === 1) return null;
  const { items } = await readDeliveries(id, { span, page: (page - 1) * pageSize, pageSize: 1 }, signal);
  return items[0] ?? null;
}

interface DeliveryQuery {
  readonly state?: Schemas['Delivery']['state'];
  readonly span: TimeSpan;
  readonly page: number;
  readonly pageSize: number;
}

function readDeliveries(id: string, { span, ...query }: DeliveryQuery, signal: AbortSignal) {
  const times = { ...(span.from === null ? {} : { from: span.from }), ...(span.to === null ? {} : { to: span.to }) };
  const params = { path: { id }, query: { ...query, ...times } };
  return api.GET('/api/v1/integrations/{id}/deliveries', { params, signal });
}

/** Reads all refusals that the service lists, the newest first. */
async function readRefusals(id: string, signal: AbortSignal): Promise<Schemas['Refusal'][]> {
  const params = { path: { id }, query: { pageSize: refusalsMax } };
  return (await api.GET('/api/v1/integrations/{id}/refusals', { params, signal })).items;
}

/** How many hooks are in a state. */
export interface HookCount {
  readonly count: number;
  /** Whether there may be more. */
  readonly isAtLeast: boolean;
}

/** Counts the hooks that may need somebody. The others are too many to count. */
export async function readHookCounts(
  id: string,
  span: TimeSpan,
  signal: AbortSignal,
): Promise<Partial<Record<HookState, HookCount>>> {
  const [dead, received, refusals] = await Promise.all([
    readDeliveries(id, { state: 'dead', span, page: 1, pageSize: 1 }, signal),
    readDeliveries(id, { state: 'received', span, page: 1, pageSize: 1 }, signal),
    readRefusals(id, signal),
  ]);
  return { dead: toCount(dead), received: toCount(received), refused: countRefused(refusals, span) };
}

function toCount({ totalItems }: { readonly totalItems: number }): HookCount {
  return { count: totalItems, isAtLeast: totalItems >= readableMax };
}
