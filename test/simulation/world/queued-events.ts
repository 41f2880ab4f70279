import { parseHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/** The ids of all deliveries in the queue. */
export function itemsOf({ jobs }: JobQueue): string[] {
  return [...jobs.values()].flatMap(({ text }) =>
    parseHookJob(text).items.flatMap((item) => (item.type === 'delivery' ? [item.delivery.eventId] : [])),
  );
}
