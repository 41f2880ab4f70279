import { formatCount } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type Queues = Schemas['Overview']['queues'];

/**
 * What waits. It is one line, and the partitions on demand if there are several: a queue that fills and empties does
 * not move the page.
 */
export function Queue({ queues }: { readonly queues: Queues }) {
  const { overview } = texts;
  return (
    <section class="section">
      <h2>{overview.queue}</h2>
      {queues === null ? <p class="muted">{overview.queueUnknown}</p> : <QueueSummary queues={queues} />}
      {queues === null || queues.length < 2 ? null : (
        <details>
          <summary>{overview.byPartition}</summary>
          <Table
            label={overview.queue}
            rows={queues}
            keyOf={({ queue }) => String(queue)}
            columns={[
              { title: overview.partition, cell: ({ queue }) => queue },
              { title: overview.jobs, isNumber: true, cell: ({ jobs }) => formatCount(jobs) },
              { title: overview.oldest, isNumber: true, cell: ({ oldestEnqueuedAt: at }) => <Time at={at} /> },
            ]}
          />
        </details>
      )}
    </section>
  );
}

function QueueSummary({ queues }: { readonly queues: NonNullable<Queues> }) {
  const { overview } = texts;
  const jobs = queues.reduce((sum, queue) => sum + queue.jobs, 0);
  const [oldest] = queues.flatMap(({ oldestEnqueuedAt: at }) => (at === null ? [] : [at])).sort();
  return (
    <p>
      {overview.jobsWait(jobs)}
      {oldest === undefined ? null : (
        <>
          {' '}
          {overview.oldestWaits} <Time at={oldest} />.
        </>
      )}
    </p>
  );
}
