import { CircleCheck, OctagonAlert, TriangleAlert } from 'lucide';
import { Badge } from '../../parts/badges.tsx';
import { formatCount, formatDuration, formatTime } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Runbook } from '../../parts/read-state.tsx';
import { Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { formatFigure } from './format-figure.ts';
import { groupConditions, type Problem } from './group-conditions.ts';
import { findNewest, readLastHour } from './last-hour.ts';
import { readPublishingDelay } from './publishing-delay.ts';

type Overview = Schemas['Overview'];

const looks = {
  normal: { icon: CircleCheck, tone: 'good' },
  ticket: { icon: TriangleAlert, tone: 'warning' },
  page: { icon: OctagonAlert, tone: 'bad' },
} as const;

/** Whether the service is healthy: a sentence, and a row for each kind of problem with the way to mend it. */
export function Health({ data }: { readonly data: Overview }) {
  const { overview } = texts;
  const problems = groupConditions(data.conditions);
  const urgent = problems.filter(({ severity }) => severity === 'page').length;
  const { icon, tone } = looks[urgent > 0 ? 'page' : problems.length > 0 ? 'ticket' : 'normal'];
  const flow = describeFlow(data);
  const delayedSince = readPublishingDelay(data);
  return (
    <section class="health" aria-label={overview.health}>
      <div class="health-summary">
        <span class={`health-icon health-icon-${tone}`}>
          <Icon of={icon} />
        </span>
        <div>
          <p role="status">
            <strong>{overview.countProblems(problems.length, urgent)}</strong>
          </p>
          {flow === '' ? null : <p class="muted">{flow}</p>}
          {delayedSince === null ? null : <p>{overview.delayed(formatTime(Date.parse(delayedSince)))}</p>}
        </div>
      </div>
      {problems.length === 0 ? null : (
        <ul aria-label={overview.problems}>
          {problems.map((problem) => (
            <ProblemRow key={problem.code} problem={problem} deadLetters={data.deadLetters ?? []} />
          ))}
        </ul>
      )}
    </section>
  );
}

function describeFlow({ history, eventDelay: { p95Ms } }: Overview): string {
  const { acceptedPerSecond } = readLastHour(history);
  const accepted = acceptedPerSecond[findNewest(acceptedPerSecond)] ?? null;
  return texts.overview.describeFlow(
    accepted === null ? null : formatFigure(accepted),
    p95Ms === null ? null : formatDuration(p95Ms),
  );
}

type DeadLetters = NonNullable<Overview['deadLetters']>;

interface ProblemRowProperties {
  readonly problem: Problem;
  readonly deadLetters: DeadLetters;
}

/** In words, with the next step. */
function ProblemRow({ problem: { code, severity, conditions }, deadLetters }: ProblemRowProperties) {
  const { overview } = texts;
  const runbook = conditions.find((condition) => condition.runbook !== null)?.runbook ?? null;
  const isDead = code === 'dead-letters';
  return (
    <li class="problem">
      <Badge tone={looks[severity].tone}>{overview.severities[severity]}</Badge>
      <div class="problem-text">
        {isDead ? <DeadHooks deadLetters={deadLetters} /> : null}
        {isDead
          ? null
          : conditions.map(({ title, detail }) => (
              <p key={title}>
                <strong>{title}.</strong> <span class="muted">{detail}</span>
              </p>
            ))}
      </div>
      {runbook === null ? null : <Runbook name={runbook} />}
      {isDead && may('integrations:manage') ? (
        <Link to="/hooks/dead" class="button button-primary">
          {overview.review}
        </Link>
      ) : null}
    </li>
  );
}

/** So many integrations are named, those with the most dead deliveries. The page of dead deliveries has them all. */
const namedMax = 8;

function DeadHooks({ deadLetters }: { readonly deadLetters: DeadLetters }) {
  const { overview } = texts;
  const hooks = deadLetters.reduce((sum, { count }) => sum + count, 0);
  const named = deadLetters.slice(0, namedMax);
  return (
    <>
      <p>
        <strong>{overview.deadHooks(hooks, deadLetters.length)}</strong>
      </p>
      <p class="dead-integrations">
        {named.map(({ integrationId, integrationName, count }) => (
          <span key={integrationId}>
            <DeadIntegration id={integrationId} name={integrationName} />{' '}
            <span class="number">{formatCount(count)}</span>
          </span>
        ))}
        {deadLetters.length > namedMax ? (
          <span class="muted">{overview.moreIntegrations(deadLetters.length - namedMax)}</span>
        ) : null}
      </p>
    </>
  );
}

function DeadIntegration({ id, name }: { readonly id: string; readonly name: string }) {
  if (!may('integrations:manage')) return <bdi>{name}</bdi>;
  return (
    <Link to={`/hooks/${id}?state=dead`}>
      <bdi>{name}</bdi>
    </Link>
  );
}
