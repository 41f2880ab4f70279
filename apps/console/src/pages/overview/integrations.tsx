import { Badge } from '../../parts/badges.tsx';
import { formatCount } from '../../parts/format.ts';
import { PagedList, usePages } from '../../parts/paged-list.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { Traffic } from './traffic.tsx';

type DeadLetters = Schemas['Overview']['deadLetters'];

interface IntegrationTraffic {
  readonly counts: Schemas['HookCounts'];
  readonly lastReceivedAt: string | null;
}

/** How many hooks each integration sent in the last 24 hours, and how many of all are dead. */
export function Integrations({ deadLetters }: { readonly deadLetters: DeadLetters }) {
  const { overview, grants } = texts;
  const list = usePages(({ page }, signal) => readTraffic(page, signal), [], {
    refreshMs: 15_000,
    keyOf: ({ counts }) => counts.integrationId,
  });
  return (
    <section class="section">
      <div class="section-header">
        <h2>{overview.integrations}</h2>
        <span class="muted small">{overview.last24Hours}</span>
      </div>
      <PagedList list={list} empty={{ title: grants.emptyTitle, text: 'Create an integration to receive hooks.' }}>
        {(items) => (
          <Table
            label={overview.integrations}
            rows={items}
            keyOf={({ counts }) => counts.integrationId}
            columns={listColumns(deadLetters)}
          />
        )}
      </PagedList>
    </section>
  );
}

/** Both lists have one order and the same pages. */
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
  const { overview } = texts;
  const deadCounts = new Map(deadLetters?.map(({ integrationId, count }) => [integrationId, count]));
  const renderDead = ({ counts: { integrationId, integrationName } }: IntegrationTraffic) => {
    const count = deadCounts.get(integrationId) ?? 0;
    if (deadLetters === null) return overview.unknown;
    if (count === 0) return <span class="muted">0</span>;
    return (
      <Link to={`/hooks/${integrationId}?state=dead`}>
        <Badge tone="bad">
          <span aria-hidden="true">{formatCount(count)}</span>
          <span class="visually-hidden">{overview.countDead(formatCount(count), integrationName)}</span>
        </Badge>
      </Link>
    );
  };
  return [
    {
      title: overview.name,
      cell: ({ counts }) => (
        <Link to={`/hooks/${counts.integrationId}`} class="name">
          {counts.integrationName}
        </Link>
      ),
    },
    { title: overview.traffic, cell: ({ counts }) => <Traffic {...counts} /> },
    { title: overview.accepted, isNumber: true, cell: ({ counts }) => formatCount(sum(counts.accepted)) },
    { title: overview.refused, isNumber: true, cell: ({ counts }) => formatCount(sum(counts.refused)) },
    { title: overview.dead, isNumber: true, cell: renderDead },
    { title: overview.lastHook, isNumber: true, cell: ({ lastReceivedAt }) => <Time at={lastReceivedAt} /> },
  ];
}
