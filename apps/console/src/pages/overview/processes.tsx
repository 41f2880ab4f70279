import { Badge } from '../../parts/badges.tsx';
import { Time } from '../../parts/time.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type Overview = Schemas['Overview'];

export function Pods({ pods, podsAsked }: Pick<Overview, 'pods' | 'podsAsked'>) {
  const { overview } = texts;
  const rows = pods.map(({ streamsOpen, lagEvents, ...pod }) => ({
    ...pod,
    figures: [overview.streams(streamsOpen), lagEvents === null ? overview.lagUnknown : overview.lag(lagEvents)],
  }));
  return <Processes title={overview.pods} rows={rows} asked={podsAsked} />;
}

/** The processes that process hooks. None on an embedded service, where the pod does it. */
export function Workers({ workers, workersAsked }: Pick<Overview, 'workers' | 'workersAsked'>) {
  const { overview } = texts;
  if (workers?.length === 0 && workersAsked === 0) return null;
  const rows = workers?.map((worker) => ({ ...worker, figures: [] })) ?? null;
  return <Processes title={overview.workers} rows={rows} asked={workersAsked} />;
}

interface ServiceProcess {
  readonly name: string;
  readonly notReady: readonly string[];
  readonly version: string;
  readonly startedAt: string;
  readonly figures: readonly string[];
}

interface ProcessesProperties {
  readonly title: string;
  /** Null: unknown. */
  readonly rows: readonly ServiceProcess[] | null;
  /** How many there should be. */
  readonly asked: number;
}

/** One line for each process. Those that are not ready say why. */
function Processes({ title, rows, asked }: ProcessesProperties) {
  const { overview } = texts;
  const ready = rows?.filter(({ notReady }) => notReady.length === 0).length ?? 0;
  return (
    <section class="section">
      <div class="section-header">
        <h2>{title}</h2>
        {rows === null ? (
          <span class="muted">{overview.unknown}</span>
        ) : (
          <Badge tone={ready < asked ? 'warning' : 'good'}>{overview.readyOf(ready, asked)}</Badge>
        )}
      </div>
      <ul class="processes" aria-label={title}>
        {rows?.map(({ name, notReady, version, startedAt, figures }) => (
          <li key={name} class="process">
            <span class="process-name">
              <Readiness isReady={notReady.length === 0} /> <bdi>{name}</bdi>
            </span>
            {notReady.length === 0 ? null : <span class="process-reason">{notReady.join('; ')}</span>}
            <span>{version}</span>
            <span>
              {overview.startedAt} <Time at={startedAt} />
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
  const { overview } = texts;
  return isReady ? <Badge tone="normal">{overview.ready}</Badge> : <Badge tone="bad">{overview.notReady}</Badge>;
}
