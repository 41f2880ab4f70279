import { CircleCheck, OctagonAlert, TriangleAlert } from 'lucide';
import { Badge } from '../../parts/badges.tsx';
import { formatCount, formatDuration, formatTime } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Runbook } from '../../parts/read-state.tsx';
import { Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { may } from '../../session/session.ts';
import { countProblems, describeFlow, findNewest, formatFigure, readLastHour, readPublishingDelay } from './figures.ts';

type Overview = Schemas['Overview'];
type Condition = Overview['conditions'][number];
type DeadLetters = NonNullable<Overview['deadLetters']>;

const looks = {
  normal: { icon: CircleCheck, tone: 'good', text: '' },
  ticket: { icon: TriangleAlert, tone: 'warning', text: 'Not urgent' },
  page: { icon: OctagonAlert, tone: 'bad', text: 'Urgent' },
} as const;

/** Whether the service is healthy: a sentence, and a row for each kind of problem with the way to mend it. */
export function Health({ data }: { readonly data: Overview }) {
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

/** So many integrations are named, those with the most dead deliveries. The page of dead deliveries has them all. */
const namedMax = 8;

function DeadHooks({ deadLetters }: { readonly deadLetters: DeadLetters }) {
  const hooks = deadLetters.reduce((sum, { count }) => sum + count, 0);
  const { length } = deadLetters;
  return (
    <>
      <p>
        <strong>
          {hooks === 1 ? '1 hook' : `${formatCount(hooks)} hooks`} from{' '}
          {length === 1 ? '1 integration' : `${length} integrations`} could not be processed
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
