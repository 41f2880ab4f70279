import { signal, useSignal } from '@preact/signals';
import { createRandomId } from '@widget-service/client/requests/send.ts';
import type { TargetedMouseEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { LiveBadge, WidgetState, widgetStates } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { ask } from '../../parts/dialog.tsx';
import { CheckField, SearchField, Select, TextField } from '../../parts/fields.tsx';
import { formatCount, formatCountOf } from '../../parts/format.ts';
import { Pager, usePages } from '../../parts/lists.tsx';
import { EmptyState, ReadState, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { changeQuery, firstPage, isForBrowser, Link, query, readEntryKey } from '../../router/router.tsx';
import { api, type Schemas, service } from '../../service/service.ts';
import { may, session } from '../../session/session.ts';
import { type Found, useFoundWidgets } from './find-widgets.ts';
import { makeMatcher, parseSearch, toLabelSearch } from './search-words.ts';
import { useWidgetChanges } from './widget-events.ts';

type Widget = Schemas['Widget'];

const pageSize = 50;
/** How many results a search shows at first, and how many more on request. */
const foundStep = 100;

/** One page of the list of widgets, or what a search finds. Shown rows change in their places; none moves by itself. */
export function WidgetsPage() {
  const search = readSearch();
  const { list, rows, changes, found, most } = useShownWidgets(search);
  const read = list.data.value;
  useScrollMemory(read !== null);
  const beginAgain = () => (most.value = foundStep);
  const showNewest = () => {
    list.goToPage(1);
    return list.reload();
  };
  return (
    <>
      <PageHeader title="Widgets" aside={<LiveBadge state={changes.state.value} />}>
        {may('widgets:create') ? (
          <Button kind="primary" data-creates onClick={() => createWidget(showNewest)}>
            Create widget
          </Button>
        ) : null}
      </PageHeader>
      <search class="filters">
        <SearchField label="Search by name, label or id" onSearch={beginAgain} />
        <Select
          isShort
          label="State"
          options={[['', 'All states'], ...Object.entries(widgetStates)]}
          value={search.state ?? ''}
          onChange={(next) => {
            beginAgain();
            changeQuery({ ...firstPage, state: next });
          }}
        />
      </search>
      <p class="list-summary muted small" role="status">
        {read === null
          ? ''
          : found === null
            ? formatCountOf(read.totalItems, 'widget')
            : describeFound(found, read.totalItems)}
      </p>
      {changes.created === 0 ? null : (
        <div class="show-new-rows">
          <Button kind="primary" onClick={showNewest}>
            Show {formatCountOf(changes.created, 'new widget')}
          </Button>
        </div>
      )}
      <ReadState read={list} error={found?.error} />
      {rows.length === 0 ? null : (
        <ul class="plain-list" aria-label="Widgets, newest first">
          {rows.map((row) => {
            const widget = changes.renew(row);
            return (
              <li key={row.id}>
                <WidgetRow widget={widget} isChanged={widget !== row} />
              </li>
            );
          })}
        </ul>
      )}
      {rows.length === 0 && read?.page === 1 && found?.isDone !== false ? <NoWidgets {...search} /> : null}
      {found === null && read !== null ? <Pager {...read} onPage={list.goToPage} /> : null}
      {found !== null && rows.length >= most.value ? (
        <Button onClick={() => (most.value += foundStep)}>Find more</Button>
      ) : null}
    </>
  );
}

/** Reads a page of the list. A search looks through all pages. */
function useShownWidgets({ text, state }: WidgetFilter) {
  const filter = state === null ? {} : { state };
  const list = usePages<Widget, Schemas['PagedResultWidget']>(
    ({ page, to: asOf }, signal) => {
      const query = { page, pageSize, ...filter, ...(asOf === undefined ? {} : { asOf }) };
      return api.GET('/api/v1/widgets', { params: { query }, signal });
    },
    [state],
    { timeOf: ({ createdAt }) => createdAt },
  );
  const read = list.data.value;
  const matchesWords = makeMatcher(parseSearch(text));
  const matches = (widget: Pick<Widget, 'id' | 'name' | 'labels' | 'state'>) =>
    (state === null || widget.state === state) && matchesWords(widget);
  const most = useSignal(foundStep);
  const isSearching = text.trim() !== '';
  // A search begins after each read of the list, so that the events since that read also change what it finds.
  const key = useMemo(() => (isSearching && read !== null ? {} : null), [read, state, text.trim()]);
  const found = useFoundWidgets(key, matches, most.value, read?.items);
  const rows = isSearching ? found.items : (read?.items ?? []);
  const changes = useWidgetChanges(
    read?.streamCursor,
    list.reload,
    (widget) => matches(widget) && widget.createdAt >= (read?.asOf ?? '') && !rows.some(({ id }) => id === widget.id),
  );
  return { list, rows, changes, found: isSearching ? found : null, most };
}

/** How far the list was scrolled, in pixels, by the entry of the history. */
const scrolled = new Map<string, number>();

/** Back leads to the same place of the list. */
function useScrollMemory(isRead: boolean): void {
  const isRestored = useRef(false);
  useLayoutEffect(() => {
    if (!isRead || isRestored.current) return;
    isRestored.current = true;
    window.scrollTo(0, scrolled.get(readEntryKey()) ?? 0);
  }, [isRead]);
  useEffect(() => {
    const remember = () => {
      if (isRestored.current) scrolled.set(readEntryKey(), window.scrollY);
    };
    window.addEventListener('scroll', remember);
    return () => window.removeEventListener('scroll', remember);
  }, []);
}

interface WidgetFilter {
  readonly text: string;
  readonly state: Widget['state'] | null;
}

/** The search is in the address, so that it survives a reload and can be sent to somebody. */
function readSearch(): WidgetFilter {
  const state = query.value.get('state');
  return { text: query.value.get('search') ?? '', state: state === 'active' || state === 'retired' ? state : null };
}

function describeFound({ items, searched, isDone, error }: Found, all: number): string {
  const found = `${formatCount(items.length)} of ${formatCountOf(all, 'widget')}`;
  return isDone || error !== null ? found : `${found}. Searching… ${formatCount(searched)} so far.`;
}

function NoWidgets({ text, state }: WidgetFilter) {
  if (text.trim() === '' && state === null) {
    return <EmptyState title="No widgets yet" text="You can create one, and so can a script with a provision token." />;
  }
  return (
    <EmptyState
      title={text.trim() === '' ? 'No widgets match' : `No widgets match “${text.trim()}”`}
      text="Check the spelling, the label or the state."
    >
      <Button onClick={() => changeQuery({ ...firstPage, search: null, state: null })}>Clear filters</Button>
    </EmptyState>
  );
}

interface WidgetRowProperties {
  readonly widget: Schemas['Widget'];
  /** Whether it has changed since the page was read. Then it glows for a moment. */
  readonly isChanged: boolean;
}

/** One line of a list, which leads to the page of the widget. A click on a label finds the widgets with this label. */
function WidgetRow({ widget, isChanged }: WidgetRowProperties) {
  const choose = (event: TargetedMouseEvent<HTMLElement>) => {
    const label = event.target instanceof HTMLElement ? event.target.dataset.label : undefined;
    if (label === undefined || isForBrowser(event)) return;
    event.preventDefault();
    // The row is a link.
    event.stopPropagation();
    changeQuery({ ...firstPage, search: toLabelSearch(label) });
  };
  return (
    <Link to={`/widgets/${widget.id}`} class="widget-row">
      {isChanged ? <span key={widget.version} class="glow" /> : null}
      <span class="widget-name" dir="auto">
        {widget.name}
      </span>
      <WidgetState state={widget.state} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the search does the same by the keyboard. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the row is the element that can be focused. */}
      <span class="labels" onClick={choose}>
        {widget.labels.map((label) => (
          <span key={label} class="label" dir="auto" data-label={label}>
            {label}
          </span>
        ))}
      </span>
      <span class="muted number">v{formatCount(widget.version)}</span>
      <span class="muted widget-time">
        <Time at={widget.updatedAt} />
      </span>
    </Link>
  );
}

/** Opens the form for a new widget. */
function createWidget(onCreated: () => Promise<void>): void {
  const [name, labels] = [signal(''), signal('')];
  const [isMine, notify] = [signal(false), signal(false)];
  const read = (): Schemas['NewWidget'] => {
    const user = session.peek()?.user;
    return {
      name: name.value,
      labels: labels.value.split(',').flatMap((label) => label.trim() || []),
      owner: isMine.value && user !== undefined ? { userId: user.id, email: user.email, notify: notify.value } : null,
    };
  };
  let sent = { text: '', idempotencyKey: '' };
  ask({
    title: 'Create widget',
    label: 'Create',
    Fields: () => (
      <>
        <TextField of={name} label="Name" hint="At most 200 characters." pointer="/name" required />
        <TextField
          of={labels}
          label="Labels"
          hint="Separated by commas. Streams can be filtered by labels."
          pointer="/labels"
        />
        <CheckField of={isMine} label="Make me the owner" />
        {isMine.value ? (
          <CheckField of={notify} label="Notify owner (a flag for other systems; this service sends nothing)" />
        ) : null}
      </>
    ),
    onSubmit: async () => {
      const widget = read();
      const text = JSON.stringify(widget);
      // One key for each text of the form, so that a repeated click after a lost response creates no second widget.
      if (text !== sent.text) sent = { text, idempotencyKey: createRandomId() };
      await service.createWidget(widget, sent);
      showToast(`“${name.value.trim()}” was created.`);
      void onCreated();
    },
  });
}
