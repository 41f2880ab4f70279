import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import {
  type HookCountStore,
  type HookCounts,
  listCountedHours,
} from '@widget-service/shared/ports/hook-count-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { listUnfilteredPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { pageQuerySchema } from '../schemas/page.ts';
import { toPageBody } from '../schemas/page-body.ts';
import { documentResponses } from '../schemas/problem.ts';
import { type HookCountsBody, hookCountPageSchema } from './hook-count-schema.ts';

export interface ListHookCountsRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'list' | 'count'>;
  /** A read needs no use case, so the route calls the port. */
  readonly hookCounts: Pick<HookCountStore, 'list'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** `GET /api/v1/hook-counts`: how many hooks each integration sent in each of the last 24 hours. */
export function listHookCountsRoute({ integrations, hookCounts, clock }: ListHookCountsRouteDeps): Route {
  const ofAll: Parameters<typeof listUnfilteredPage<Integration>>[0] = {
    list: (range) => integrations.list({}, range),
    count: (atMost) => integrations.count({}, atMost),
  };
  return defineRoute({
    schema: {
      operationId: 'example.hookCounts.list',
      summary: 'Count the hooks of each integration',
      description:
        'Returns how many hooks were accepted and refused in each of the last 24 hours, in the order of the list of integrations. The counts are approximate and up to 10 seconds old. Hooks with an unknown token belong to no integration.',
      querystring: pageQuerySchema,
      response: documentResponses({
        200: { body: hookCountPageSchema, description: 'One page of integrations with their counts.' },
      }),
    },
    handler: async ({ query }) => {
      const page = await listUnfilteredPage(ofAll, query);
      const ids = 'items' in page ? page.items.flatMap((row) => row?.id ?? []) : [];
      const hours = listCountedHours(clock.now());
      const counted = (await hookCounts.list(ids, hours)).filter((row) => row !== null);
      const counts = Map.groupBy(counted, ({ integrationId }) => integrationId);
      return toPageBody(query, page, (integration) => toBody(integration, counts.get(integration.id) ?? [], hours));
    },
  });
}

function toBody({ id, name }: Integration, counts: readonly HookCounts[], hours: readonly Date[]): HookCountsBody {
  const find = (hour: Date) => counts.find((each) => each.hour.getTime() === hour.getTime());
  return {
    integrationId: id,
    integrationName: name,
    startsAt: (hours[0] as Date).toISOString(),
    accepted: hours.map((hour) => find(hour)?.accepted ?? 0),
    refused: hours.map((hour) => find(hour)?.refused ?? 0),
  };
}
