import { hookCountLimits } from '@widget-service/shared/ports/hook-count-store.ts';
import { z } from 'zod';
import { toPageSchema } from '../schemas/page.ts';
import { timestamp } from '../schemas/text.ts';

const { hours } = hookCountLimits;
const counts = z.array(z.int().min(0)).min(hours).max(hours);
const exampleCounts = (last: number): number[] =>
  Array.from({ length: hours }, (_, hour) => (hour < hours - 1 ? 0 : last));

const hookCountsSchema = z
  .object({
    integrationId: z.string().meta({ format: 'uuid' }),
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

export const hookCountPageSchema = toPageSchema(hookCountsSchema);
export type HookCountsBody = z.output<typeof hookCountsSchema>;
