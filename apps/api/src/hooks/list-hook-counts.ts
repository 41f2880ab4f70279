import type { Integration } from '@widget-service/shared/entities/grant.ts';
import { type HookCounts, hookCountLimits, listCountedHours } from '@widget-service/shared/ports/hook-count-store.ts';
import { z } from 'zod';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { pageQuerySchema, readPage, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { shownUuid, timestamp } from '../schemas/text.ts';

const { hours } = hookCountLimits;
const counts = z.array(z.int().min(0)).min(hours).max(hours);
const exampleCounts = (last: number): number[] =>
  Array.from({ length: hours }, (_, hour) => (hour < hours - 1 ? 0 : last));

const hookCountsSchema = z
  .object({
    integrationId: shownUuid,
    integrationName: z.string(),
    startsAt: timestamp.describe('When the first hour begins: a full hour in UTC. The last hour is the current one.'),
    accepted: counts.describe('Hooks answered with 202 in each hour, the oldest first. Repetitions count, too.'),
    refused: counts.describe('Hooks refused in each hour.'),
  })
  .meta({
    id: 'HookCounts',
    description: 'How many hooks an integration sent in each of the last 24 hours, approximately.',
    examples: [
      {
        integrationId: '7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91',
        integrationName: 'Plant north',
        startsAt: '2026-02-28T11:00:00.000Z',
        accepted: exampleCounts(1_482),
        refused: exampleCounts(3),
      },
    ],
  });

const hookCountPageSchema = toPageSchema(hookCountsSchema);
type HookCountsBody = z.output<typeof hookCountsSchema>;

/** `GET /api/v1/hook-counts`: how many hooks each integration sent in each of the last 24 hours. */
export function listHookCountsRoute({ integrations, hookCounts, clock }: RouteDeps): Route {
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
      const page = await readPage(integrations, {}, query);
      const ids = page.items.flatMap((row) => row?.id ?? []);
      const hours = listCountedHours(clock.now());
      const counted = (await hookCounts.list(ids, hours)).filter((row) => row !== null);
      const counts = Map.groupBy(counted, ({ integrationId }) => integrationId);
      return toPageBody(query, page, (integration) =>
        toCountsBody(integration, counts.get(integration.id) ?? [], hours),
      );
    },
  });
}

function toCountsBody(
  { id, name }: Integration,
  counts: readonly HookCounts[],
  hours: readonly Date[],
): HookCountsBody {
  const find = (hour: Date) => counts.find((each) => each.hour.getTime() === hour.getTime());
  return {
    integrationId: id,
    integrationName: name,
    startsAt: (hours[0] as Date).toISOString(),
    accepted: hours.map((hour) => find(hour)?.accepted ?? 0),
    refused: hours.map((hour) => find(hour)?.refused ?? 0),
  };
}
