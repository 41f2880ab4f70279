import { Badge } from '../../parts/badge.tsx';
import { formatCount } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type Overview = Schemas['Overview'];

/** The partitions that have jobs. */
export function Queue({ queues }: { readonly queues: Overview['queues'] }) {
  const { overview } = texts;
  const busy = queues?.filter(({ jobs }) => jobs > 0) ?? [];
  return (
    <section class="section">
      <h2>{overview.queue}</h2>
      {busy.length === 0 ? <p class="muted">{queues === null ? overview.queueUnknown : overview.queueEmpty}</p> : null}
      {busy.length === 0 ? null : (
        <table class="table" aria-label={overview.queue}>
          <thead>
            <tr>
              <th scope="col">{overview.partition}</th>
              <th scope="col">{overview.jobs}</th>
              <th scope="col">{overview.oldest}</th>
            </tr>
          </thead>
          <tbody>
            {busy.map(({ queue, jobs, oldestEnqueuedAt }) => (
              <tr key={queue}>
                <th scope="row">{queue}</th>
                <td data-label={overview.jobs}>{formatCount(jobs)}</td>
                <td data-label={overview.oldest}>
                  <Time at={oldestEnqueuedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
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
      <table class="table" aria-label={overview.pods}>
        <thead>
          <tr>
            <th scope="col">{overview.pod}</th>
            <th scope="col">{overview.state}</th>
            <th scope="col">{overview.version}</th>
            <th scope="col">{overview.startedAt}</th>
            <th scope="col">{overview.streams}</th>
            <th scope="col">{overview.lag}</th>
          </tr>
        </thead>
        <tbody>
          {pods.map((pod) => (
            <tr key={pod.name}>
              <th scope="row">{pod.name}</th>
              <td data-label={overview.state}>
                <Readiness notReady={pod.notReady} />
              </td>
              <td data-label={overview.version}>{pod.version}</td>
              <td data-label={overview.startedAt}>
                <Time at={pod.startedAt} />
              </td>
              <td data-label={overview.streams}>{formatCount(pod.streamsOpen)}</td>
              <td data-label={overview.lag}>
                {pod.lagEvents === null ? overview.unknown : overview.events(formatCount(pod.lagEvents))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
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
        <table class="table" aria-label={overview.workers}>
          <thead>
            <tr>
              <th scope="col">{overview.worker}</th>
              <th scope="col">{overview.state}</th>
              <th scope="col">{overview.version}</th>
              <th scope="col">{overview.startedAt}</th>
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <tr key={worker.name}>
                <th scope="row">{worker.name}</th>
                <td data-label={overview.state}>
                  <Readiness notReady={worker.notReady} />
                </td>
                <td data-label={overview.version}>{worker.version}</td>
                <td data-label={overview.startedAt}>
                  <Time at={worker.startedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Readiness({ notReady }: { readonly notReady: readonly string[] }) {
  const { overview } = texts;
  const isReady = notReady.length === 0;
  return <Badge tone={isReady ? 'good' : 'bad'}>{isReady ? overview.ready : overview.notReady}</Badge>;
}
