import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { readNames } from '@widget-service/shared/usecases/lists/list-counted-page.ts';

/** One partition of the hook queue. */
interface QueueReading {
  readonly queue: string;
  readonly partition: number;
  readonly jobs: number;
  readonly oldestEnqueuedAt: Date | null;
}

/** The dead deliveries of one integration. */
interface DeadLetters {
  readonly integrationId: string;
  readonly integrationName: string;
  readonly count: number;
}

/** What the stores say. Null: the store did not answer. */
export interface StoreReading {
  readonly queues: QueueReading[] | null;
  /** Whether the outboxes could be read. */
  readonly hasOutboxes: boolean;
  /** Since when the oldest change of a widget has waited to be published. Null: none waits, or it is unknown. */
  readonly outboxesWaitingSince: Date | null;
  /** Only integrations that have dead deliveries. */
  readonly deadLetters: DeadLetters[] | null;
}

/** Counting stops after so many dead deliveries in all: an operator needs to know that there are many. */
const deadLettersMax = 10_000;
/** So many integrations with dead deliveries are shown, those with the most. */
const integrationsMax = 100;

type Stores = Pick<Backend, 'hookQueue' | 'outboxes' | 'ledger' | 'integrations'>;

/** Reads the stores for the overview. Never rejects. */
export async function readStores(backend: Stores, now: Date): Promise<StoreReading> {
  const [queues, outboxes, deadLetters] = await Promise.all([
    readQueues(backend).catch(() => null),
    backend.outboxes.findOverdue(now, 1).catch(() => null),
    readDeadLetters(backend).catch(() => null),
  ]);
  return {
    queues,
    hasOutboxes: outboxes !== null,
    outboxesWaitingSince: outboxes?.[0]?.since ?? null,
    deadLetters,
  };
}

async function readQueues({ hookQueue }: Stores): Promise<QueueReading[]> {
  const queues = await hookQueue.inspect();
  return queues.map(({ queue, partition, jobs, oldestEnqueuedAt }) => ({ queue, partition, jobs, oldestEnqueuedAt }));
}

/** Leaves out those of deleted integrations: nobody can redrive them. */
async function readDeadLetters({ ledger, integrations }: Stores): Promise<DeadLetters[]> {
  const counts = [...(await ledger.countDead(deadLettersMax))].sort(([, one], [, other]) => other - one);
  const most = counts.slice(0, integrationsMax);
  const names = await readNames(
    integrations,
    most.map(([integrationId]) => integrationId),
  );
  return most.flatMap(([integrationId, count]) => {
    const integrationName = names.get(integrationId);
    return integrationName === undefined ? [] : [{ integrationId, integrationName, count }];
  });
}
