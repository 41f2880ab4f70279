import { useMemo } from 'preact/hooks';
import { Badge } from '../../parts/badges.tsx';
import { formatTime, timeZone } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { Chart } from './chart.tsx';
import { DeadLetters, Pods, Queue, Workers } from './overview-tables.tsx';
import { readPublishingDelay } from './publishing-delay.ts';

type Overview = Schemas['Overview'];
const refreshMs = 5_000;

/** The whole service: what is wrong now, the last hour, the queue, the pods and the workers. */
export function OverviewPage() {
  const { overview } = texts;
  const read = useResource((signal) => api.GET('/api/v1/overview', { signal }), [], { refreshMs });
  const data = read.data.value;
  return (
    <>
      <PageHeader
        title={overview.title}
        aside={
          data === null ? null : (
            <span class="muted">
              <Time at={data.at} />
            </span>
          )
        }
      />
      <ReadState read={read} />
      {data === null ? null : (
        <>
          <Conditions conditions={data.conditions} />
          <Charts history={data.history} />
          <DelayedPublishing since={readPublishingDelay(data)} />
          <Queue queues={data.queues} />
          <DeadLetters deadLetters={data.deadLetters} />
          <Pods pods={data.pods} />
          <Workers workers={data.workers} />
        </>
      )}
    </>
  );
}

/** Null: nothing waits for long. */
function DelayedPublishing({ since }: { readonly since: string | null }) {
  if (since === null) return null;
  return <p class="notice">{texts.overview.outboxes(formatTime(Date.parse(since)))}</p>;
}

/** In words, with the next step. */
function Conditions({ conditions }: { readonly conditions: Overview['conditions'] }) {
  const { overview } = texts;
  if (conditions.length === 0) {
    return (
      <p class="notice" role="status">
        {overview.allWell}
      </p>
    );
  }
  return (
    <ul class="conditions" aria-label={overview.wrong}>
      {conditions.map(({ code, severity, title, detail, runbook }) => (
        <li key={`${code} ${title}`} class={`notice ${severity === 'page' ? 'notice-error' : 'notice-warning'}`}>
          <p>
            <Badge tone={severity === 'page' ? 'bad' : 'warning'}>{overview.severities[severity]}</Badge>{' '}
            <strong>{title}.</strong> {detail}
          </p>
          {runbook === null ? null : <p class="muted small">{overview.runbook(runbook)}</p>}
        </li>
      ))}
    </ul>
  );
}

function Charts({ history }: { readonly history: Overview['history'] }) {
  const { charts } = texts.overview;
  const { intervalSeconds, endsAt, hooksAccepted, eventsPublished, streamsOpen } = history;
  const times = useMemo(() => {
    const lastSeconds = Date.parse(endsAt) / 1_000;
    return hooksAccepted.map((_, index) => lastSeconds - (hooksAccepted.length - 1 - index) * intervalSeconds);
  }, [endsAt]);
  const toRate = (values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : value / intervalSeconds));
  const rates = useMemo(
    () => ({ hooksAccepted: toRate(hooksAccepted), eventsPublished: toRate(eventsPublished) }),
    [history],
  );
  return (
    <>
      <div class="charts">
        <Chart name={charts.hooksAccepted} times={times} values={rates.hooksAccepted} />
        <Chart name={charts.eventsPublished} times={times} values={rates.eventsPublished} />
        <Chart name={charts.streamsOpen} times={times} values={streamsOpen} />
      </div>
      <p class="hint">{texts.overview.timeZone(timeZone)}</p>
    </>
  );
}
