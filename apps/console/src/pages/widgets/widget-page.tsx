import { useSignal } from '@preact/signals';
import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { useEffect } from 'preact/hooks';
import { Badge, DeliveryState, LiveBadge, type LiveState, WidgetState } from '../../parts/badges.tsx';
import { Code, CopiedId, WithFacts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { Pager, usePages } from '../../parts/lists.tsx';
import { ReadState } from '../../parts/messages.tsx';
import { ActivityLink, PageHeader } from '../../parts/page.tsx';
import { lookUp } from '../../parts/text.ts';
import { ClockTime, FullTime } from '../../parts/time.tsx';
import { Link, type RouteParameters } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { may } from '../../session/session.ts';
import { eventGone, readDelivery } from '../hooks/delivery.tsx';
import { findExpiredHooks, listChanges, type PayloadChange, shortenValue } from './history.ts';
import { toLabelSearch } from './search-words.ts';
import { useWidgetChanges } from './widget-events.ts';

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
            ['Id', <CopiedId key="id" id={widget.id} />],
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

type Delivery = Schemas['DeliveryOfWidget'];
type DeliveryPage = Schemas['PagedResultDeliveryOfWidget'];

interface WidgetHistoryProperties {
  readonly widget: { readonly id: string; readonly version: number; readonly createdAt: string };
}

/** What happened to a widget, newest first: the hooks that name it, and at the end its creation. */
function WidgetHistory({ widget }: WidgetHistoryProperties) {
  const read = usePages((place, signal) => readHistory(widget.id, place, signal), [widget.id], {
    refreshMs: 5_000,
    timeOf: ({ receivedAt }) => receivedAt,
  });
  // The stream tells of a change earlier than the next refresh.
  useEffect(() => void read.reload(), [widget.version]);
  const list = read.data.value;
  const expired = list === null || list.hasNext ? null : findExpiredHooks(list, widget.version);
  const changes = compareVersions(list?.items ?? []);
  return (
    <section class="section">
      <h2>History</h2>
      <ReadState read={read} />
      {list === null ? null : (
        <>
          <ol class="history" aria-label="History">
            {list.items.map((delivery) => (
              <HistoryEntry
                key={delivery.eventId}
                delivery={delivery}
                changes={changes.get(delivery.eventId) ?? null}
              />
            ))}
            {expired === null ? null : <li class="history-entry history-expired muted">{describeExpired(expired)}</li>}
            {list.hasNext ? null : (
              <li class="history-entry">
                <div class="history-line">
                  <strong>Created</strong>
                  <span class="muted">v1</span>
                  <span class="history-time muted">
                    <ClockTime at={widget.createdAt} />
                  </span>
                </div>
              </li>
            )}
          </ol>
          <Pager {...list} onPage={read.goToPage} />
        </>
      )}
    </section>
  );
}

function describeExpired({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to
    ? `Version ${formatCount(from)} is past retention.`
    : `Versions ${formatCount(from)} to ${formatCount(to)} are past retention.`;
}

const pageSize = 25;

/** The payloads keep every digit. */
async function readHistory(
  id: string,
  query: { readonly page: number; readonly to?: string },
  signal: AbortSignal,
): Promise<DeliveryPage> {
  const text: string = await api.GET('/api/v1/widgets/{id}/deliveries', {
    params: { path: { id }, query: { ...query, pageSize } },
    parseAs: 'text',
    signal,
  });
  return parseExactJson(text) as DeliveryPage;
}

/** What each of these hooks changed, by event id, in the order in which they were applied. */
function compareVersions(deliveries: readonly Delivery[]): ReadonlyMap<string, readonly PayloadChange[]> {
  const applied = deliveries.filter(({ effect }) => effect !== null);
  applied.sort((one, other) => (one.effect?.version ?? 0) - (other.effect?.version ?? 0));
  const changes = listChanges(applied.map(({ payload }) => payload));
  return new Map(applied.map(({ eventId }, index) => [eventId, changes[index] ?? []]));
}

const hookKinds = { created: 'Created', updated: 'Updated', retired: 'Retired' };

interface HistoryEntryProperties {
  readonly delivery: Delivery;
  /** Null: it has changed nothing, or not yet. */
  readonly changes: readonly PayloadChange[] | null;
}

/** One hook in one line. Opened, it shows its payload and the event that streams send. */
function HistoryEntry({ delivery, changes }: HistoryEntryProperties) {
  const isOpen = useSignal(false);
  const { kind, state, effect, integrationId, integrationName, payload } = delivery;
  return (
    <li class="history-entry">
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary class="history-line">
          {/* A dead letter may have any text as its kind. */}
          <strong>{lookUp(hookKinds, kind) ?? kind}</strong>
          {effect === null ? null : <span class="muted">v{formatCount(effect.version)}</span>}
          {kind === 'retired' && effect?.stateChanged === false ? <span class="muted">was already retired</span> : null}
          {effect?.late ? <Badge tone="warning">arrived late</Badge> : null}
          {state === 'published' ? null : <DeliveryState state={state} />}
          <span class="history-changes">
            {changes === null || payload === null ? null : <Changes changes={changes} />}
          </span>
          <span class="history-source muted" dir="auto">
            {integrationName ?? integrationId}
          </span>
          <span class="history-time muted">
            <ClockTime at={delivery.occurredAt} />
          </span>
        </summary>
        {isOpen.value ? <EntryDetails delivery={delivery} /> : null}
      </details>
    </li>
  );
}

/** More values than these do not fit into a line. */
const mostChanges = 4;

function Changes({ changes }: { readonly changes: readonly PayloadChange[] }) {
  if (changes.length === 0) return <span class="muted">no values changed</span>;
  return (
    <>
      {changes.slice(0, mostChanges).map(({ path, before, after }, index) => (
        <span key={path}>
          {index === 0 ? '' : ', '}
          <bdi class="muted">{shortenValue(path)}</bdi>{' '}
          {before === null ? null : (
            <>
              <bdi>{shortenValue(before)}</bdi>
              {' → '}
            </>
          )}
          <bdi>{shortenValue(after)}</bdi>
        </span>
      ))}
      {changes.length > mostChanges ? (
        <span class="muted">, {formatCount(changes.length - mostChanges)} more</span>
      ) : null}
    </>
  );
}

function EntryDetails({ delivery }: { readonly delivery: Delivery }) {
  const { integrationId, eventId, payload, occurredAt, receivedAt, state } = delivery;
  return (
    <div class="history-details">
      <p class="muted small">
        Occurred: <FullTime at={occurredAt} /> · Received: <FullTime at={receivedAt} />
        {may('integrations:manage') ? (
          <>
            {' · '}
            <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>View hook</Link>
          </>
        ) : null}
      </p>
      <h3 class="code-title">Payload</h3>
      {payload === null ? (
        <p class="muted">None, or too long to list here.</p>
      ) : (
        <Code>{formatExactJson(payload, 2)}</Code>
      )}
      {state === 'published' && may('integrations:manage') ? <PublishedEvent delivery={delivery} /> : null}
    </div>
  );
}

function PublishedEvent({ delivery: { integrationId, eventId } }: { readonly delivery: Delivery }) {
  const read = useResource((signal) => readDelivery(integrationId, eventId, signal), [eventId]);
  const event = read.data.value?.event;
  return (
    <>
      <h3 class="code-title">Event, as streams send it</h3>
      <ReadState read={read} />
      {event === null ? <p class="muted">{eventGone}</p> : null}
      {event === null || event === undefined ? null : <Code>{formatExactJson(event, 2)}</Code>}
    </>
  );
}
