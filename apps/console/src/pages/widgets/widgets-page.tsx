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
import { changeQuery, goTo, query } from '../../router/address.ts';
import { api } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { NewWidgetDialog } from './new-widget-dialog.tsx';
import { filterWidgets, type WidgetSearch } from './shown-widgets.ts';
import { WidgetRow, widgetRowHeight } from './widget-row.tsx';

/** All widgets, live. */
export function WidgetsPage() {
  const isCreating = useSignal(query.peek().has('new'));
  const search = readSearch();
  const found = useMemo(() => filterWidgets(rows.value, search), [rows.value, search.text, search.state]);
  const isLoading = liveState.value === 'loading';
  return (
    <>
      <PageHeader title={texts.widgets.title} aside={<LiveBadge />}>
        {may('widgets:create') ? (
          <Button kind="primary" data-shortcut="c" onClick={() => (isCreating.value = true)}>
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
  return { text: query.value.get('search') ?? '', state: state === 'active' || state === 'retired' ? state : null };
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
          <WidgetRow widget={widget} />
        </li>
      ))}
    </ul>
  );
}

function FoundWidgets({ found, search }: { readonly found: readonly LiveWidget[]; readonly search: WidgetSearch }) {
  const { held, hold, release, listEvents, isAtTop } = useHeldRows(found, `${search.state} ${search.text}`);
  if (found.length === 0 && held === null)
    return <NoWidgets isFiltered={search.text !== '' || search.state !== null} />;
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
        label={texts.widgets.list}
        keyOf={(widget) => widget.id}
        renderRow={(widget) => <WidgetRow widget={liveWidgets.value?.get(widget.id) ?? widget} />}
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

function NoWidgets({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) return <EmptyState title={texts.widgets.emptyTitle} text={texts.widgets.empty} />;
  return (
    <EmptyState title={texts.widgets.noMatchTitle} text={texts.widgets.noMatch}>
      <Button onClick={() => changeQuery({ search: null, state: null })}>{texts.widgets.clearFilters}</Button>
    </EmptyState>
  );
}
