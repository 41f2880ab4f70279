import { useEffect } from 'preact/hooks';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Time } from '../../parts/time.tsx';
import { api } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { may } from '../../session/session.ts';
import { noteOverview } from '../../shell/health.ts';
import { texts } from '../../texts/texts.ts';
import { Health } from './health.tsx';
import { Integrations } from './integrations.tsx';
import { Pods, Workers } from './processes.tsx';
import { Queue } from './queue.tsx';
import { Tiles } from './tiles.tsx';

const refreshMs = 5_000;

/** Whether the service is healthy, what flows through it, and what it is made of. */
export function OverviewPage() {
  const { overview } = texts;
  const read = useResource((signal) => api.GET('/api/v1/overview', { signal }), [], { refreshMs });
  const data = read.data.value;
  useEffect(() => {
    if (data !== null) noteOverview(data);
  }, [data]);
  return (
    <>
      <PageHeader
        title={overview.title}
        aside={
          data === null ? null : (
            <span class="muted small">
              {overview.updated} <Time at={data.at} />
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
          <Pods pods={data.pods} podsAsked={data.podsAsked} />
          <Workers workers={data.workers} workersAsked={data.workersAsked} />
        </>
      )}
    </>
  );
}
