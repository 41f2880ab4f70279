import { LiveBadge, type LiveState, WidgetState } from '../../parts/badges.tsx';
import { CopyButton } from '../../parts/button.tsx';
import { WithFacts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { ReadState } from '../../parts/messages.tsx';
import { ActivityLink, PageHeader } from '../../parts/page.tsx';
import { FullTime } from '../../parts/time.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { toLabelSearch } from './search-words.ts';
import { useWidgetChanges } from './widget-events.ts';
import { WidgetHistory } from './widget-history.tsx';

type Widget = Schemas['Widget'];

/** One widget with its history, live. */
export function WidgetPage({ id = '' }: RouteParameters) {
  const read = useResource((signal) => readWithCursor(id, signal), [id]);
  const changes = useWidgetChanges(read.data.value?.streamCursor, read.reload);
  const widget = read.data.value === null ? undefined : changes.renew(read.data.value.widget);
  return (
    <>
      <PageHeader
        title={widget?.name ?? id}
        parents={[['Widgets', '/widgets']]}
        aside={widget === undefined ? null : <WidgetSummary widget={widget} live={changes.state.value} />}
      >
        <ActivityLink targetId={id} />
      </PageHeader>
      {widget === undefined ? (
        <ReadState read={read} />
      ) : (
        <WithFacts
          facts={[
            [
              'Id',
              <span key="id" class="with-button">
                <code>{widget.id}</code> <CopyButton text={widget.id} />
              </span>,
            ],
            ['Version', formatCount(widget.version)],
            ['Owner', <Owner key="owner" widget={widget} />],
            ['Created', <FullTime key="created" at={widget.createdAt} />],
            ['Updated', <FullTime key="updated" at={widget.updatedAt} />],
            ['Last event', <FullTime key="event" at={widget.lastEventAt} />],
            ['Retired', <FullTime key="retired" at={widget.retiredAt} />],
          ]}
        >
          <WidgetHistory widget={widget} />
        </WithFacts>
      )}
    </>
  );
}

/** Its state, its labels, which lead to the widgets with the same label, and its owner. */
function WidgetSummary({ widget, live }: { readonly widget: Widget; readonly live: LiveState }) {
  return (
    <>
      <WidgetState state={widget.state} />
      {widget.labels.map((label) => (
        <Link key={label} to={`/widgets?${new URLSearchParams({ search: toLabelSearch(label) })}`} class="label">
          <bdi>{label}</bdi>
        </Link>
      ))}
      {widget.owner === null ? null : <Owner widget={widget} />}
      <LiveBadge state={live} />
    </>
  );
}

function Owner({ widget: { owner } }: { readonly widget: Widget }) {
  return <bdi class="muted">{owner === null ? 'none' : owner.email}</bdi>;
}

/** Reads a widget, and before it the position of the stream: the events from there on change what was read. */
async function readWithCursor(id: string, signal: AbortSignal) {
  const { streamCursor } = await api.GET('/api/v1/widgets', { params: { query: { pageSize: 1 } }, signal });
  const widget = await api.GET('/api/v1/widgets/{id}', { params: { path: { id } }, signal });
  return { widget, streamCursor };
}
