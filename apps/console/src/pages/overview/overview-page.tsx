import { useEffect } from 'preact/hooks';
import { Badge } from '../../parts/badges.tsx';
import { formatCount } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { may } from '../../session/session.ts';
import { noteOverview } from '../../shell/health.ts';
import { Health } from './health.tsx';
import { Integrations } from './integrations.tsx';
import { Tiles } from './tiles.tsx';

type Overview = Schemas['Overview'];

const refreshMs = 5_000;

/** Whether the service is healthy, what flows through it, and what it is made of. */
export function OverviewPage() {
  const read = useResource((signal) => api.GET('/api/v1/overview', { signal }), [], { refreshMs });
  const data = read.data.value;
  useEffect(() => {
    if (data !== null) noteOverview(data);
  }, [data]);
  return (
    <>
      <PageHeader
        title="Overview"
        aside={
          data === null ? null : (
            <span class="muted small">
              Updated <Time at={data.at} />
            </span>
          )
        }
      />
      <ReadState read={read} />
      {data === null ? null : (
        <>
          <Health data={data} />
          <Tiles history={data.history} eventDelay={data.eventDelay} />
          {may('integrations:manage') ? <Integrations deadLetters={data.deadLetters} /> : null}
          <Queue queues={data.queues} />
          <Pods pods={data.pods} />
          <Workers workers={data.workers} />
        </>
      )}
    </>
  );
}

/**
 * What waits. It is one line, and the partitions on demand if there are several: a queue that fills and empties does
 * not move the page.
 */
function Queue({ queues }: { readonly queues: Overview['queues'] }) {
  return (
    <section class="section">
      <h2>Hook queue</h2>
      {queues === null ? <p class="muted">The queue did not answer.</p> : <QueueSummary queues={queues} />}
      {queues === null || queues.length < 2 ? null : (
        <details>
          <summary>By partition</summary>
          <Table
            label="Hook queue"
            rows={queues}
            keyOf={({ queue }) => String(queue)}
            columns={[
              { title: 'Partition', cell: ({ queue }) => queue },
              { title: 'Jobs', isNumber: true, cell: ({ jobs }) => formatCount(jobs) },
              { title: 'Oldest', isNumber: true, cell: ({ oldestEnqueuedAt: at }) => <Time at={at} /> },
            ]}
          />
        </details>
      )}
    </section>
  );
}

function QueueSummary({ queues }: { readonly queues: NonNullable<Overview['queues']> }) {
  const jobs = queues.reduce((sum, queue) => sum + queue.jobs, 0);
  const [oldest] = queues.flatMap(({ oldestEnqueuedAt: at }) => (at === null ? [] : [at])).sort();
  return (
    <p>
      {jobs === 0 ? 'The queue is empty.' : `${jobs === 1 ? '1 job is' : `${formatCount(jobs)} jobs are`} waiting.`}
      {oldest === undefined ? null : (
        <>
          {' '}
          The oldest was queued <Time at={oldest} />.
        </>
      )}
    </p>
  );
}

/** A process writes its state every 5 s. */
const silentSeconds = 15;

function Pods({ pods }: Pick<Overview, 'pods'>) {
  const rows = pods.map(({ streamsOpen, lagEvents, ...pod }) => ({
    ...pod,
    figures: [streamsOpen === 1 ? '1 stream' : `${formatCount(streamsOpen)} streams`, describeLag(lagEvents)],
  }));
  return <Processes title="Pods" rows={rows} />;
}

/** The processes that process hooks. None on an embedded service, where the pod does it. */
function Workers({ workers }: Pick<Overview, 'workers'>) {
  if (workers?.length === 0) return null;
  const rows = workers?.map((worker) => ({ ...worker, figures: [] })) ?? null;
  return <Processes title="Workers" rows={rows} />;
}

interface ServiceProcess {
  readonly name: string;
  readonly notReady: readonly string[];
  readonly version: string;
  readonly startedAt: string;
  readonly ageSeconds: number;
  readonly figures: readonly string[];
}

interface ProcessesProperties {
  readonly title: string;
  /** Null: unknown. */
  readonly rows: readonly ServiceProcess[] | null;
}

/** One line for each process. Those that are not ready say why, and those that are silent since when. */
function Processes({ title, rows }: ProcessesProperties) {
  const ready = rows?.filter(({ notReady }) => notReady.length === 0).length ?? 0;
  return (
    <section class="section">
      <div class="section-header">
        <h2>{title}</h2>
        {rows === null ? (
          <span class="muted">unknown</span>
        ) : (
          <Badge tone={ready < rows.length ? 'warning' : 'good'}>{`${ready} of ${rows.length} ready`}</Badge>
        )}
      </div>
      <ul class="processes" aria-label={title}>
        {rows?.map(({ name, notReady, version, startedAt, ageSeconds, figures }) => (
          <li key={name} class="process">
            <span class="process-name">
              <Readiness isReady={notReady.length === 0} /> <bdi>{name}</bdi>
            </span>
            {notReady.length === 0 ? null : <span class="process-reason">{notReady.join('; ')}</span>}
            {ageSeconds < silentSeconds ? null : <span class="process-reason">{`silent for ${ageSeconds} s`}</span>}
            <span>{version}</span>
            <span>
              Started <Time at={startedAt} />
            </span>
            {figures.map((figure) => (
              <span key={figure} class="number">
                {figure}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Readiness({ isReady }: { readonly isReady: boolean }) {
  return isReady ? <Badge tone="normal">Ready</Badge> : <Badge tone="bad">Not ready</Badge>;
}

function describeLag(events: number | null): string {
  if (events === null) return 'lag unknown';
  return events === 1 ? '1 event behind' : `${formatCount(events)} events behind`;
}
