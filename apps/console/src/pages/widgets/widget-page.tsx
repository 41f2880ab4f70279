import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { liveState, liveWidgets, rows } from '../../live/shared-widgets.ts';
import { LiveBadge, WidgetState } from '../../parts/badges.tsx';
import { CopyButton } from '../../parts/button.tsx';
import { WithFacts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { FullTime } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import { service } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { toLabelSearch } from './search-words.ts';
import { WidgetHistory } from './widget-history.tsx';

/** One widget with its history, live. */
export function WidgetPage({ id = '' }: RouteParameters) {
  const read = useResource(() => service.getWidget(id), [id]);
  // Reading the rows makes this page follow them.
  const live = rows.value.length > 0 && liveState.value !== 'loading' ? liveWidgets.value?.get(id) : undefined;
  const widget = newest(live, read.data.value ?? undefined);
  const { facts } = texts.widgets;
  return (
    <>
      <PageHeader
        title={widget?.name ?? id}
        parents={[[texts.widgets.title, '/widgets']]}
        aside={widget === undefined ? null : <WidgetSummary widget={widget} />}
      >
        {widget !== undefined && may('audit:read') ? (
          <Link to={`/access/audit?targetId=${widget.id}`} class="button button-plain">
            {texts.widgets.activity}
          </Link>
        ) : null}
      </PageHeader>
      {widget === undefined ? (
        <ReadState read={read} />
      ) : (
        <WithFacts
          facts={[
            [
              facts.id,
              <span key="id" class="with-button">
                <code>{widget.id}</code> <CopyButton text={widget.id} />
              </span>,
            ],
            [facts.version, formatCount(widget.version)],
            [facts.owner, <Owner key="owner" widget={widget} />],
            [facts.createdAt, <FullTime key="created" at={widget.createdAt} />],
            [facts.updatedAt, <FullTime key="updated" at={widget.updatedAt} />],
            [facts.lastEventAt, <FullTime key="event" at={widget.lastEventAt} />],
            [facts.retiredAt, <FullTime key="retired" at={widget.retiredAt} />],
          ]}
        >
          <WidgetHistory widget={widget} />
        </WithFacts>
      )}
    </>
  );
}

/** Its state, its labels, which lead to the widgets with the same label, and its owner. */
function WidgetSummary({ widget }: { readonly widget: LiveWidget }) {
  return (
    <>
      <WidgetState state={widget.state} />
      {widget.labels.map((label) => (
        <Link key={label} to={`/widgets?${new URLSearchParams({ search: toLabelSearch(label) })}`} class="label">
          <bdi>{label}</bdi>
        </Link>
      ))}
      {widget.owner === null ? null : <Owner widget={widget} />}
      <LiveBadge />
    </>
  );
}

function Owner({ widget: { owner } }: { readonly widget: LiveWidget }) {
  return <bdi class="muted">{owner === null ? texts.general.none : (owner.email ?? owner.userId)}</bdi>;
}

function newest<W extends { readonly version: number }>(one: W | undefined, other: W | undefined): W | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.version >= other.version ? one : other;
}
