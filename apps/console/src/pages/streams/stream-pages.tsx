import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Grant, GrantFields, GrantKind, IssuedGrant } from '../../grants/describe-grant.ts';
import { GrantActions, GrantsPage } from '../../grants/grants.tsx';
import { listSecretFacts, OldSecretNote, SecretLine } from '../../grants/secrets.tsx';
import { widgetStates } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { ask, uncopiedText } from '../../parts/dialog.tsx';
import { Code, CodeTabs, Facts } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format.ts';
import { actionsColumn, type Column, RowButton, Table } from '../../parts/lists.tsx';
import { EmptyState, ReadState, showToast } from '../../parts/messages.tsx';
import { ActivityLink, PageHeader, TabLinks } from '../../parts/page.tsx';
import { FullTime, Time } from '../../parts/time.tsx';
import { WidgetLink } from '../../parts/widget-name.tsx';
import { goTo, query, type RouteParameters, useLeaveQuestion } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { holdSecrets } from '../../session/session.ts';
import { FilterFields } from './filter-fields.tsx';
import { eventTypes, fromFilter, toFilter } from './filter-values.ts';
import { LivePreview } from './live-events.tsx';
import { readStreamUrl, streamSamples } from './stream-samples.ts';

/** A subscription whose URL a person has not saved yet. */
type HeldStream = IssuedGrant & { readonly url: string };

const heldStream = holdSecrets<HeldStream>();

/** Leads to the page of a new or rotated subscription, which shows its URL once. */
function showNewUrl({ url = '', ...issued }: IssuedGrant): void {
  heldStream.value = { ...issued, url };
  goTo(`/streams/${issued.id}`);
}

/** Open streams take a new filter at once. */
function makeFilterFields(grant: Grant | null): GrantFields {
  const values = fromFilter(grant !== null && 'filter' in grant ? grant.filter : {});
  return { toBody: () => ({ filter: toFilter(values) }), Fields: () => <FilterFields values={values} /> };
}

/** Subscriptions as grants. */
const subscriptionGrants: GrantKind = {
  path: '/api/v1/subscriptions',
  listPage: '/streams',
  hasPages: true,
  title: 'Streams',
  intro: 'A subscription is a secret URL that opens a stream of events. Give each screen or program its own.',
  emptyText: 'Create a subscription, and give its URL to the program that follows the events.',
  createLabel: 'Create subscription',
  makeFields: makeFilterFields,
  onIssued: showNewUrl,
};

/** All subscriptions. */
export function StreamsPage() {
  return <GrantsPage kind={subscriptionGrants} links={[['Watch all events', '/streams/events']]} />;
}

const tabs = [
  ['preview', 'Live preview'],
  ['code', 'Sample code'],
  ['open', 'Open streams'],
  ['settings', 'Settings'],
] as const;

/** One subscription. Its URL, if it is new, is gone when the page is left. */
export function StreamPage({ id = '' }: RouteParameters) {
  const read = useResource(
    (signal) => api.GET('/api/v1/subscriptions/{id}', { params: { path: { id } }, signal }),
    [id],
  );
  useEffect(
    () => () => {
      heldStream.value = null;
    },
    [],
  );
  const held = heldStream.value?.id === id ? heldStream.value : null;
  /** The URL that the person has saved. */
  const saved = useSignal<string | null>(null);
  const hideUrl = (url: string) => {
    saved.value = url;
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('h1')?.focus();
  };
  const tab = tabs.find(([name]) => name === query.value.get('tab'))?.[0] ?? 'preview';
  const subscription = read.data.value;
  return (
    <>
      <PageHeader title={subscription?.name ?? held?.name ?? id} parents={[['Streams', '/streams']]}>
        <ActivityLink targetId={id} />
        {subscription === null ? null : (
          <GrantActions kind={subscriptionGrants} grant={subscription} onChanged={() => void read.reload()} />
        )}
      </PageHeader>
      {held === null || held.url === saved.value ? null : (
        <NewUrl key={held.url} held={held} onSaved={() => hideUrl(held.url)} />
      )}
      <ReadState read={read}>
        {(shown) => (
          <>
            <TabLinks label="Parts of this subscription" tabs={tabs} current={tab} />
            {tab === 'preview' ? (
              // A new URL starts another preview.
              <LivePreview key={held?.url} subscription={shown} url={held?.url ?? null} />
            ) : tab === 'code' ? (
              <SampleCode />
            ) : tab === 'open' ? (
              <OpenStreams id={id} />
            ) : (
              <StreamSettings subscription={shown} onChanged={() => void read.reload()} />
            )}
          </>
        )}
      </ReadState>
    </>
  );
}

interface NewUrlProperties {
  readonly held: HeldStream;
  /** Called when the person has saved the URL. */
  readonly onSaved: () => void;
}

/** Shows the URL of a new or rotated subscription. The page asks before it is left without a copy. */
function NewUrl({ held, onSaved }: NewUrlProperties) {
  const isCopied = useRef(false);
  useLeaveQuestion(() => (isCopied.current ? null : uncopiedText));
  return (
    <section class="new-url" aria-label="Stream URL (secret)">
      <p class="notice notice-warning">
        Copy the URL now. The service keeps only a hash and can't show it again. If you lose it, rotate the secret.
      </p>
      <SecretLine label="Stream URL (secret)" secret={held.url} onCopied={() => (isCopied.current = true)} />
      <OldSecretNote issued={held} />
      <Button onClick={onSaved}>I've saved it</Button>
    </section>
  );
}

/** Programs that follow the stream, to paste. */
function SampleCode() {
  return (
    <section class="section sample-code">
      <h2>Sample code</h2>
      <p class="hint">
        Programs in a terminal read the URL from the environment. Put it there first: the shell asks for it, so it is
        not in the shell history.
      </p>
      <Code>{readStreamUrl}</Code>
      <CodeTabs label="Sample code" codes={streamSamples} copyLabel="Copy code" />
      <h2>In a web page</h2>
      <p>Pages of any origin may open the stream: stream URLs allow cross-origin requests (CORS) without cookies.</p>
      <p>If the page has a content security policy, add the host of the URL to connect-src.</p>
      <p>
        Anyone who has the URL can read the stream. Give it only to people who may see these events, and rotate it when
        one of them leaves.
      </p>
    </section>
  );
}

interface StreamSettingsProperties {
  readonly subscription: Schemas['Subscription'];
  readonly onChanged: () => void;
}

/** What a subscription is. The menu of the page says what can be done with it. */
function StreamSettings({ subscription, onChanged }: StreamSettingsProperties) {
  return (
    <section class="section">
      <h2>Settings</h2>
      <Facts
        facts={[
          ...listFilter(subscription.filter),
          ['Created', <FullTime key="created" at={subscription.createdAt} />],
          ...listSecretFacts(subscriptionGrants.path, subscription, onChanged),
          ['Expires', <FullTime key="expires" at={subscription.expiresAt} />],
          ['Last connected', <FullTime key="last" at={subscription.lastConnectedAt} />],
        ]}
      />
    </section>
  );
}

/** One fact for each condition of the filter. */
function listFilter({ types, states, labels, widgetIds }: Schemas['EventFilter']) {
  if (!types && !states && !labels && !widgetIds) return [['Filter', 'All events']] as const;
  const renderList = (items: ComponentChildren) => <span class="picked">{items}</span>;
  const renderLabel = (label: string) => (
    <span key={label} class="label" dir="auto">
      {label}
    </span>
  );
  return [
    ...(types ? [['Kinds', types.map((type) => eventTypes[type]).join(', ')] as const] : []),
    ...(states ? [['States', states.map((state) => widgetStates[state]).join(', ')] as const] : []),
    ...(labels ? [['Labels', renderList(labels.map(renderLabel))] as const] : []),
    ...(widgetIds ? [['Widgets', renderList(widgetIds.map((id) => <WidgetLink key={id} id={id} />))] as const] : []),
  ];
}

type Connection = Schemas['Connection'];

/** The open streams of a subscription, on every pod. */
function OpenStreams({ id }: { readonly id: string }) {
  const list = useResource(
    (signal) => api.GET('/api/v1/subscriptions/{id}/connections', { params: { path: { id } }, signal }),
    [id],
    { refreshMs: 5_000 },
  );
  const end = async (connectionId: string) => {
    const target = { id, connectionId };
    await api.DELETE('/api/v1/subscriptions/{id}/connections/{connectionId}', { params: { path: target } });
    showToast('Stream closed. Clients usually reconnect; revoke the subscription to stop them.');
    await list.reload();
  };
  const askEnd = ({ id: connectionId, address }: Connection) =>
    ask({
      title: `Close the stream to ${address ?? '–'}`,
      text: 'Clients usually reconnect at once. To keep a client out, revoke the subscription.',
      label: 'Close stream',
      isDangerous: true,
      onSubmit: () => end(connectionId),
    });
  return (
    <section class="section">
      <h2>Open streams</h2>
      <ReadState read={list}>
        {({ items, isComplete }) => (
          <>
            {isComplete ? null : (
              <p class="notice notice-warning">
                A pod has more streams than the 1 000 that it lists. Some may be missing here.
              </p>
            )}
            {items.length === 0 ? (
              <EmptyState title="No open streams" text="A program that opens the URL appears here." />
            ) : (
              <Table label="Open streams" rows={items} keyOf={(open) => open.id} columns={listColumns(askEnd)} />
            )}
          </>
        )}
      </ReadState>
    </section>
  );
}

function listColumns(onEnd: (open: Connection) => void): readonly Column<Connection>[] {
  return [
    { title: 'Address', cell: ({ address }) => address ?? '–' },
    { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} /> },
    { title: 'Pod', cell: ({ pod }) => pod },
    { title: 'Sent', cell: ({ sentBytes }) => formatBytes(sentBytes), isNumber: true },
    { title: 'Buffered', cell: ({ unsentBytes }) => formatBytes(unsentBytes), isNumber: true },
    actionsColumn((open) => (
      <RowButton label="Close stream" row={open.address ?? '–'} kind="danger" onClick={() => onEnd(open)} />
    )),
  ];
}
