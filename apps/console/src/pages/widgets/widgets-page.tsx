import { useSignal } from '@preact/signals';
import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { liveState, liveWidgets, readCount, rows } from '../../live/shared-widgets.ts';
import { LiveBadge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/fields.tsx';
import { EmptyState } from '../../parts/messages.tsx';
import { countNewRows } from '../../parts/new-rows.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { changeQuery, goTo, query, toHref } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import { api } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { NewWidgetDialog } from './new-widget-dialog.tsx';
import { toLabelSearch } from './search-words.ts';
import { selectWidgets, type WidgetOrder, type WidgetSearch, widgetOrders } from './shown-widgets.ts';
import { WidgetRow, widgetRowHeight } from './widget-row.tsx';

/** All widgets, live. */
export function WidgetsPage() {
  const isCreating = useSignal(false);
  const search = readSearch();
  const all = useCalmRows(search.order);
  const found = useMemo(() => selectWidgets(all, search), [all, search.text, search.state, search.order]);
  const isLoading = liveState.value === 'loading';
  return (
    <>
      <PageHeader title={texts.widgets.title} aside={<LiveBadge />}>
        {may('widgets:create') ? (
          <Button kind="primary" data-creates onClick={() => (isCreating.value = true)}>
            {texts.widgets.create}
          </Button>
        ) : null}
      </PageHeader>
      <WidgetFilters search={search} />
      <p class="list-summary" role="status">
        {isLoading ? texts.widgets.loadingAll(readCount.value) : texts.widgets.count(found.length, rows.value.length)}
      </p>
      {isLoading ? <FirstWidgets /> : <FoundWidgets found={found} search={search} />}
      {isCreating.value ? <NewWidgetDialog onClose={() => (isCreating.value = false)} /> : null}
    </>
  );
}

/** The search is in the address, so that it survives a reload and can be sent to somebody. */
function readSearch(): WidgetSearch {
  const state = query.value.get('state');
  return {
    text: query.value.get('search') ?? '',
    state: state === 'active' || state === 'retired' ? state : null,
    order: widgetOrders.find((order) => order === query.value.get('order')) ?? 'newest',
  };
}

/** Only the newest first grow at one end. In another order, rows would change places all the time. */
const calmMs = 2_000;

/** The widgets, renewed so often that a person can still read them in this order. */
function useCalmRows(order: WidgetOrder): readonly LiveWidget[] {
  const calm = useSignal<readonly LiveWidget[]>([]);
  const isCalm = order !== 'newest';
  useEffect(() => {
    calm.value = rows.peek();
    if (!isCalm) return;
    const timer = setInterval(() => (calm.value = rows.peek()), calmMs);
    return () => clearInterval(timer);
  }, [isCalm]);
  return isCalm && calm.value.length > 0 ? calm.value : rows.value;
}

/** The search and the state. */
function WidgetFilters({ search }: { readonly search: WidgetSearch }) {
  const { widgets } = texts;
  return (
    <search class="filters">
      <input
        class="input"
        type="search"
        data-shortcut="/"
        aria-label={widgets.search}
        placeholder={widgets.search}
        value={search.text}
        onInput={({ currentTarget }) => changeQuery({ search: currentTarget.value })}
      />
      <Select
        isShort
        label={widgets.state}
        options={[
          ['', widgets.states.all],
          ['active', widgets.states.active],
          ['retired', widgets.states.retired],
        ]}
        value={search.state ?? ''}
        onChange={(state) => changeQuery({ state })}
      />
      <Select
        isShort
        label={widgets.order}
        options={widgetOrders.map((order) => [order, widgets.orders[order]] as const)}
        value={search.order}
        onChange={(order) => changeQuery({ order: order === 'newest' ? null : order })}
      />
    </search>
  );
}

/** What people see while thousands of widgets load: the newest ones. */
function FirstWidgets() {
  const first = useResource(
    (signal) => api.GET('/api/v1/widgets', { params: { query: { pageSize: 50 } }, signal }),
    [],
  );
  return (
    <ul class="plain-list" aria-busy="true">
      {first.data.value?.items.map((widget) => (
        <li key={widget.id}>
          <Link to={`/widgets/${widget.id}`} class="widget-link">
            <WidgetRow widget={widget} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function FoundWidgets({ found, search }: { readonly found: readonly LiveWidget[]; readonly search: WidgetSearch }) {
  const { held, hold, release, listEvents, isAtTop } = useHeldRows(
    found,
    `${search.order} ${search.state} ${search.text}`,
  );
  if (found.length === 0 && held === null) return <NoWidgets search={search} />;
  const shown = held ?? found;
  const waiting = held === null ? 0 : countNewRows(held, found, ({ id }) => id);
  return (
    <div class="fill" {...listEvents}>
      {waiting > 0 ? (
        <Button kind="primary" class="show-new" onClick={release}>
          {texts.widgets.showNew(waiting)}
        </Button>
      ) : null}
      <VirtualList
        rows={shown}
        rowHeight={widgetRowHeight}
        label={texts.widgets.listTitles[search.order]}
        keyOf={(widget) => widget.id}
        renderRow={(widget) => (
          <WidgetRow
            widget={liveWidgets.value?.get(widget.id) ?? widget}
            onLabel={(label) => changeQuery({ search: toLabelSearch(label) })}
          />
        )}
        toHref={(widget) => toHref(`/widgets/${widget.id}`)}
        onOpen={(widget) => goTo(`/widgets/${widget.id}`)}
        onScrolled={(isNowAtTop) => {
          isAtTop.current = isNowAtTop;
          if (!isNowAtTop) hold();
        }}
      />
    </div>
  );
}

/** Keeps the order of the rows while a person points at the list or has scrolled down. `null` holds nothing. */
function useHeldRows(found: readonly LiveWidget[], searchKey: string) {
  const held = useSignal<readonly LiveWidget[] | null>(null);
  const isAtTop = useRef(true);
  const latest = useRef(found);
  latest.current = found;
  const hold = () => {
    held.value ??= latest.current;
  };
  const release = () => {
    held.value = null;
    document.querySelector('.virtual-list')?.scrollTo({ top: 0 });
  };
  // Another search is another list.
  useEffect(() => {
    held.value = null;
  }, [searchKey]);
  const listEvents = {
    onPointerEnter: hold,
    onPointerLeave: () => {
      if (isAtTop.current) held.value = null;
    },
  };
  return { held: held.value, hold, release, listEvents, isAtTop };
}

function NoWidgets({ search: { text, state } }: { readonly search: WidgetSearch }) {
  const { widgets } = texts;
  if (text === '' && state === null) return <EmptyState title={widgets.emptyTitle} text={widgets.empty} />;
  return (
    <EmptyState title={widgets.noMatchTitle(text.trim())} text={widgets.noMatch}>
      <Button onClick={() => changeQuery({ search: null, state: null })}>{widgets.clearFilters}</Button>
    </EmptyState>
  );
}
