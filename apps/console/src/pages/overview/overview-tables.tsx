import { Badge } from '../../parts/badges.tsx';
import { formatCount } from '../../parts/format.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type Overview = Schemas['Overview'];

/** What waits. It is one line, and the partitions on demand: a queue that fills and empties does not move the page. */
export function Queue({ queues }: { readonly queues: Overview['queues'] }) {
  const { overview } = texts;
  return (
    <section class="section">
      <h2>{overview.queue}</h2>
      {queues === null ? <p class="muted">{overview.queueUnknown}</p> : <QueueSummary queues={queues} />}
      {queues === null ? null : (
        <details>
          <summary>{overview.byPartition}</summary>
          <Table
            label={overview.queue}
            rows={queues}
            keyOf={({ queue }) => String(queue)}
            columns={[
              { title: overview.partition, cell: ({ queue }) => queue },
              { title: overview.jobs, cell: ({ jobs }) => formatCount(jobs) },
              { title: overview.oldest, cell: ({ oldestEnqueuedAt }) => <Time at={oldestEnqueuedAt} /> },
            ]}
          />
        </details>
      )}
    </section>
  );
}

function QueueSummary({ queues }: { readonly queues: NonNullable<Overview['queues']> }) {
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

/** The integrations with dead deliveries. The names lead to them. */
export function DeadLetters({ deadLetters }: { readonly deadLetters: Overview['deadLetters'] }) {
  const { overview } = texts;
  return (
    <section class="section">
      <h2>{overview.deadLetters}</h2>
      {deadLetters?.length === 0 ? <p class="muted">{overview.noDeadLetters}</p> : null}
      {deadLetters === null ? <p class="muted">{overview.unknown}</p> : null}
      <ul>
        {deadLetters?.map(({ integrationId, integrationName, count }) => (
          <li key={integrationId}>
            <Link to={`/hooks/${integrationId}?state=dead`}>{integrationName}</Link> {formatCount(count)}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Pods({ pods }: { readonly pods: Overview['pods'] }) {
  const { overview } = texts;
  return (
    <section class="section">
      <h2>{overview.pods}</h2>
      <Table
        label={overview.pods}
        rows={pods}
        keyOf={({ name }) => name}
        columns={[
          ...listProcessColumns(overview.pod),
          { title: overview.streams, cell: ({ streamsOpen }) => formatCount(streamsOpen) },
          {
            title: overview.lag,
            cell: ({ lagEvents }) => (lagEvents === null ? overview.unknown : overview.events(formatCount(lagEvents))),
          },
        ]}
      />
    </section>
  );
}

/** The processes that process hooks. None on an embedded service, where the pod does it. */
export function Workers({ workers }: { readonly workers: Overview['workers'] }) {
  const { overview } = texts;
  if (workers?.length === 0) return null;
  return (
    <section class="section">
      <h2>{overview.workers}</h2>
      {workers === null ? (
        <p class="muted">{overview.unknown}</p>
      ) : (
        <Table
          label={overview.workers}
          rows={workers}
          keyOf={({ name }) => name}
          columns={listProcessColumns(overview.worker)}
        />
      )}
    </section>
  );
}

interface ServiceProcess {
  readonly name: string;
  readonly notReady: readonly string[];
  readonly version: string;
  readonly startedAt: string;
}

/** What pods and workers have in common. */
function listProcessColumns(title: string): Column<ServiceProcess>[] {
  const { overview } = texts;
  return [
    { title, cell: ({ name }) => name },
    { title: overview.state, cell: ({ notReady }) => <Readiness notReady={notReady} /> },
    { title: overview.version, cell: ({ version }) => version },
    { title: overview.startedAt, cell: ({ startedAt }) => <Time at={startedAt} /> },
  ];
}

/** Ready, or why not. */
function Readiness({ notReady }: { readonly notReady: readonly string[] }) {
  const { overview } = texts;
  if (notReady.length === 0) return <Badge tone="good">{overview.ready}</Badge>;
  return (
    <>
      <Badge tone="bad">{overview.notReady}</Badge> {notReady.join('; ')}
    </>
  );
}
