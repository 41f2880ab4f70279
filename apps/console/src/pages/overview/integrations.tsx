import { Badge } from '../../parts/badges.tsx';
import { formatClock, formatCount, formatCountOf } from '../../parts/format.ts';
import { type Column, PagedTable, usePages } from '../../parts/lists.tsx';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { bars, drawBars } from './figures.ts';

type DeadLetters = Schemas['Overview']['deadLetters'];

interface IntegrationTraffic {
  readonly counts: Schemas['HookCounts'];
  readonly lastReceivedAt: string | null;
}

/** How many hooks each integration sent in the last 24 hours, and how many of its deliveries, of any age, are dead. */
export function Integrations({ deadLetters }: { readonly deadLetters: DeadLetters }) {
  const list = usePages(({ page }, signal) => readTraffic(page, signal), [], {
    refreshMs: 15_000,
    keyOf: ({ counts }) => counts.integrationId,
  });
  return (
    <section class="section">
      <div class="section-header">
        <h2>Integrations</h2>
        <span class="muted small">last 24 hours</span>
      </div>
      <PagedTable
        list={list}
        empty={{ title: 'None yet', text: 'Create an integration to receive hooks.' }}
        label="Integrations"
        keyOf={({ counts }) => counts.integrationId}
        columns={listColumns(deadLetters)}
      />
    </section>
  );
}

/** Both operations list the integrations in the same order, so a page of both has the same ones. */
async function readTraffic(page: number, signal: AbortSignal) {
  const request = { params: { query: { page, pageSize: 25 } }, signal };
  const [counts, integrations] = await Promise.all([
    api.GET('/api/v1/hook-counts', request),
    api.GET('/api/v1/integrations', request),
  ]);
  const lastReceived = new Map(integrations.items.map(({ id, lastReceivedAt }) => [id, lastReceivedAt]));
  const toRow = (item: Schemas['HookCounts']): IntegrationTraffic => ({
    counts: item,
    lastReceivedAt: lastReceived.get(item.integrationId) ?? null,
  });
  return { ...counts, items: counts.items.map(toRow) };
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

function listColumns(deadLetters: DeadLetters): Column<IntegrationTraffic>[] {
  const deadCounts = new Map(deadLetters?.map(({ integrationId, count }) => [integrationId, count]));
  const renderDead = ({ counts: { integrationId, integrationName } }: IntegrationTraffic) => {
    const count = deadCounts.get(integrationId) ?? 0;
    if (deadLetters === null) return 'unknown';
    if (count === 0) return <span class="muted">0</span>;
    return (
      <Link to={`/hooks/${integrationId}?state=dead`}>
        <Badge tone="bad">
          <span aria-hidden="true">{formatCount(count)}</span>
          <span class="visually-hidden">
            {formatCountOf(count, 'dead delivery', 'dead deliveries')} of {integrationName}
          </span>
        </Badge>
      </Link>
    );
  };
  return [
    {
      title: 'Name',
      cell: ({ counts }) => (
        <Link to={`/hooks/${counts.integrationId}`} class="name">
          {counts.integrationName}
        </Link>
      ),
    },
    { title: 'Traffic', cell: ({ counts }) => <Traffic {...counts} /> },
    { title: 'Accepted', isNumber: true, cell: ({ counts }) => formatCount(sum(counts.accepted)) },
    { title: 'Refused', isNumber: true, cell: ({ counts }) => formatCount(sum(counts.refused)) },
    { title: 'Dead', isNumber: true, cell: renderDead },
    { title: 'Last hook', isNumber: true, cell: ({ lastReceivedAt }) => <Time at={lastReceivedAt} /> },
  ];
}

const hourMs = 3_600_000;

/** A bar for each hour. Its text says when the busiest one was; the columns beside it have the totals. */
function Traffic({ startsAt, accepted, refused }: Schemas['HookCounts']) {
  const totals = accepted.map((count, hour) => count + (refused[hour] ?? 0));
  const most = Math.max(...totals);
  const toClock = (hour: number) => formatClock(Date.parse(startsAt) + hour * hourMs);
  const label =
    most === 0
      ? 'No hooks in the last 24 hours.'
      : `The busiest hour, from ${toClock(totals.indexOf(most))}, had ${formatCountOf(most, 'hook')}.`;
  return (
    <svg class="traffic" width={bars.width} height={bars.height} role="img" aria-label={label}>
      <path class="traffic-base" d={`M0 ${bars.height - 0.5}H${bars.width}`} />
      {drawBars(accepted, refused).map((bar, hour) => (
        <g key={bar.x}>
          <title>
            {`From ${toClock(hour)}: ${formatCount(accepted[hour] ?? 0)} accepted, ${formatCount(refused[hour] ?? 0)} refused`}
          </title>
          <rect class="traffic-space" x={bar.x} width={bars.step} height={bars.height} />
          <rect class="traffic-accepted" x={bar.x} y={bars.height - bar.accepted} width="3" height={bar.accepted} />
          <rect
            class="traffic-refused"
            x={bar.x}
            y={bars.height - bar.accepted - bar.refused}
            width="3"
            height={bar.refused}
          />
        </g>
      ))}
    </svg>
  );
}
