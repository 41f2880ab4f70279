import { CircleCheck, OctagonAlert, TriangleAlert } from 'lucide';
import { useEffect } from 'preact/hooks';
import { Badge } from '../../parts/badges.tsx';
import { Icon } from '../../parts/button.tsx';
import { formatCount, formatCountOf, formatDuration, formatTime } from '../../parts/format.ts';
import { Table } from '../../parts/lists.tsx';
import { ReadState, Runbook } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { may } from '../../session/session.ts';
import { noteOverview } from '../../shell/health.ts';
import { countProblems, describeFlow, findNewest, formatFigure, readLastHour, readPublishingDelay } from './figures.ts';
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
          <Processes title="Pods" rows={data.pods} />
          {/* None on an embedded service, where the pod processes the hooks. */}
          {data.workers?.length === 0 ? null : <Processes title="Workers" rows={data.workers} />}
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
  const jobs = queues?.reduce((sum, queue) => sum + queue.jobs, 0) ?? 0;
  const [oldest] = queues?.flatMap(({ oldestEnqueuedAt: at }) => at ?? []).sort() ?? [];
  return (
    <section class="section">
      <h2>Hook queue</h2>
      {queues === null ? (
        <p class="muted">The queue did not answer.</p>
      ) : (
        <p>
          {jobs === 0 ? 'The queue is empty.' : `${formatCountOf(jobs, 'job is', 'jobs are')} waiting.`}
          {oldest === undefined ? null : (
            <>
              {' '}
              The oldest was queued <Time at={oldest} />.
            </>
          )}
        </p>
      )}
      {queues === null || queues.length < 2 ? null : (
        <details>
          <summary>By partition</summary>
          <Table
            label="Hook queue"
            rows={queues}
            keyOf={({ queue }) => String(queue)}
            columns={[
              { title: 'Partition', cell: ({ queue }) => queue },
              { title: 'Jobs', isNumber: true, cell: ({ jobs: waiting }) => formatCount(waiting) },
              { title: 'Oldest', isNumber: true, cell: ({ oldestEnqueuedAt: at }) => <Time at={at} /> },
            ]}
          />
        </details>
      )}
    </section>
  );
}

/** A process writes its state every 5 s. */
const silentSeconds = 15;

interface ProcessesProperties {
  readonly title: string;
  /** Null: unknown. */
  readonly rows: readonly (Overview['pods'][number] | NonNullable<Overview['workers']>[number])[] | null;
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
        {rows?.map((row) => (
          <li key={row.name} class="process">
            <span class="process-name">
              {row.notReady.length === 0 ? <Badge tone="normal">Ready</Badge> : <Badge tone="bad">Not ready</Badge>}{' '}
              <bdi>{row.name}</bdi>
            </span>
            {row.notReady.length === 0 ? null : <span class="process-reason">{row.notReady.join('; ')}</span>}
            {row.ageSeconds < silentSeconds ? null : (
              <span class="process-reason">{`silent for ${row.ageSeconds} s`}</span>
            )}
            <span>{row.version}</span>
            <span>
              Started <Time at={row.startedAt} />
            </span>
            {'streamsOpen' in row ? (
              <>
                <span class="number">{formatCountOf(row.streamsOpen, 'stream')}</span>
                <span class="number">{describeLag(row.lagEvents)}</span>
              </>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function describeLag(events: number | null): string {
  return events === null ? 'lag unknown' : `${formatCountOf(events, 'event')} behind`;
}

type Condition = Overview['conditions'][number];
type DeadLetters = NonNullable<Overview['deadLetters']>;

const looks = {
  normal: { icon: CircleCheck, tone: 'good', text: '' },
  ticket: { icon: TriangleAlert, tone: 'warning', text: 'Not urgent' },
  page: { icon: OctagonAlert, tone: 'bad', text: 'Urgent' },
} as const;

/** Whether the service is healthy: a sentence, and a row for each kind of problem with the way to mend it. */
function Health({ data }: { readonly data: Overview }) {
  // In the order of the service: urgent ones first. All conditions with one code have one severity.
  const problems = [...Map.groupBy(data.conditions, ({ code }) => code).values()];
  const urgent = problems.filter(([first]) => first?.severity === 'page').length;
  const { icon, tone } = looks[urgent > 0 ? 'page' : problems.length > 0 ? 'ticket' : 'normal'];
  const { acceptedPerSecond } = readLastHour(data.history);
  const accepted = acceptedPerSecond[findNewest(acceptedPerSecond)] ?? null;
  const { p95Ms } = data.eventDelay;
  const flow = describeFlow(
    accepted === null ? null : formatFigure(accepted),
    p95Ms === null ? null : formatDuration(p95Ms),
  );
  const delayedSince = readPublishingDelay(data);
  return (
    <section class="health" aria-label="Health">
      <div class="health-summary">
        <span class={`health-icon health-icon-${tone}`}>
          <Icon of={icon} />
        </span>
        <div>
          <p role="status">
            <strong>{countProblems(problems.length, urgent)}</strong>
          </p>
          {flow === '' ? null : <p class="muted">{flow}</p>}
          {delayedSince === null ? null : (
            <p>
              Publishing is delayed: the oldest change has been waiting since {formatTime(Date.parse(delayedSince))}.
            </p>
          )}
        </div>
      </div>
      {problems.length === 0 ? null : (
        <ul aria-label="Problems">
          {problems.map((conditions) => (
            <Problem key={conditions[0]?.code} conditions={conditions} deadLetters={data.deadLetters ?? []} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface ProblemProperties {
  /** All with one code. */
  readonly conditions: readonly Condition[];
  readonly deadLetters: DeadLetters;
}

/** In words, with the next step. */
function Problem({ conditions, deadLetters }: ProblemProperties) {
  const { code, severity = 'ticket', runbook = null } = conditions[0] ?? {};
  const { tone, text } = looks[severity];
  const isDead = code === 'dead-letters';
  return (
    <li class="problem">
      <Badge tone={tone}>{text}</Badge>
      <div class="problem-text">
        {isDead ? (
          <DeadHooks deadLetters={deadLetters} />
        ) : (
          conditions.map(({ title, detail }) => (
            <p key={title}>
              <strong>{title}.</strong> <span class="muted">{detail}</span>
            </p>
          ))
        )}
      </div>
      {runbook === null ? null : <Runbook name={runbook} />}
      {isDead && may('integrations:manage') ? (
        <Link to="/hooks/dead" class="button button-primary">
          Review
        </Link>
      ) : null}
    </li>
  );
}

/** How many integrations are named: those with the most dead deliveries. The page of dead deliveries lists all. */
const namedMax = 8;

function DeadHooks({ deadLetters }: { readonly deadLetters: DeadLetters }) {
  const hooks = deadLetters.reduce((sum, { count }) => sum + count, 0);
  const { length } = deadLetters;
  return (
    <>
      <p>
        <strong>
          {formatCountOf(hooks, 'hook')} from {formatCountOf(length, 'integration')} could not be processed
        </strong>
      </p>
      <p class="dead-integrations">
        {deadLetters.slice(0, namedMax).map(({ integrationId, integrationName, count }) => (
          <span key={integrationId}>
            {may('integrations:manage') ? (
              <Link to={`/hooks/${integrationId}?state=dead`}>
                <bdi>{integrationName}</bdi>
              </Link>
            ) : (
              <bdi>{integrationName}</bdi>
            )}{' '}
            <span class="number">{formatCount(count)}</span>
          </span>
        ))}
        {length > namedMax ? <span class="muted">and {formatCount(length - namedMax)} more</span> : null}
      </p>
    </>
  );
}
