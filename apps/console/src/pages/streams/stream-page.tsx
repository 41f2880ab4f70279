import { useSignal } from '@preact/signals';
import { GrantActions } from '../../grants/grant-actions.tsx';
import { listSecretFacts } from '../../grants/secret-facts.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format.ts';
import { EmptyState, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { actionsColumn, RowButton, Table } from '../../parts/table.tsx';
import { FullTime, Time } from '../../parts/time.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { subscriptionGrants } from './subscription-grants.tsx';

const refreshMs = 5_000;

/** One subscription with its open streams. */
export function StreamPage({ id = '' }: RouteParameters) {
  const { streams, grants } = texts;
  const path = { id };
  const read = useResource((signal) => api.GET('/api/v1/subscriptions/{id}', { params: { path }, signal }), [id], {
    refreshMs: 15_000,
  });
  const subscription = read.data.value;
  return (
    <>
      <PageHeader title={subscription?.name ?? id} parents={[[streams.title, '/streams']]}>
        {subscription === null ? null : (
          <GrantActions
            {...subscriptionGrants}
            grant={subscription}
            listPage="/streams"
            onChanged={() => void read.reload()}
          />
        )}
      </PageHeader>
      <ReadState read={read} />
      {subscription === null ? null : (
        <>
          <Facts
            facts={[
              [streams.filter, describeFilter(subscription.filter)],
              [grants.createdAt, <FullTime key="created" at={subscription.createdAt} />],
              ...listSecretFacts(subscriptionGrants.path, subscription, () => void read.reload()),
              [grants.expires, <FullTime key="expires" at={subscription.expiresAt} />],
              [streams.lastConnectedAt, <FullTime key="last" at={subscription.lastConnectedAt} />],
            ]}
          />
          <OpenStreams id={id} />
        </>
      )}
    </>
  );
}

function OpenStreams({ id }: { readonly id: string }) {
  const { streams } = texts;
  const path = { id };
  const list = useResource(
    (signal) => api.GET('/api/v1/subscriptions/{id}/connections', { params: { path }, signal }),
    [id],
    { refreshMs },
  );
  /** The stream that the dialog asks about, or null if it is closed. */
  const ending = useSignal<Schemas['Connection'] | null>(null);
  const end = async (connectionId: string) => {
    const target = { id, connectionId };
    await api.DELETE('/api/v1/subscriptions/{id}/connections/{connectionId}', { params: { path: target } });
    showToast(streams.ended);
    await list.reload();
  };
  const open = list.data.value;
  return (
    <section class="section">
      <h2>{streams.connections}</h2>
      <ReadState read={list} />
      {open === null || open.podsAnswered === open.podsAsked ? null : (
        <p class="notice notice-warning">{streams.podsMissing(open.podsAnswered, open.podsAsked)}</p>
      )}
      {open?.items.length === 0 ? (
        <EmptyState title={streams.connectionsEmptyTitle} text={streams.connectionsEmpty} />
      ) : null}
      {open === null || open.items.length === 0 ? null : (
        <Table
          label={streams.connections}
          rows={open.items}
          keyOf={(connection) => connection.id}
          columns={[
            { title: streams.address, cell: ({ address }) => address ?? '–' },
            { title: streams.openedAt, cell: ({ openedAt }) => <Time at={openedAt} /> },
            { title: streams.pod, cell: ({ pod }) => pod },
            { title: streams.sent, cell: ({ sentBytes }) => formatBytes(sentBytes) },
            { title: streams.unsent, cell: ({ unsentBytes }) => formatBytes(unsentBytes) },
            actionsColumn((connection: Schemas['Connection']) => (
              <RowButton
                label={streams.end}
                row={connection.address ?? '–'}
                kind="danger"
                onClick={() => (ending.value = connection)}
              />
            )),
          ]}
        />
      )}
      {ending.value === null ? null : (
        <EndStream connection={ending.value} onEnd={end} onClose={() => (ending.value = null)} />
      )}
    </section>
  );
}

interface EndStreamProperties {
  readonly connection: Schemas['Connection'];
  readonly onEnd: (connectionId: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before it ends a stream. */
function EndStream({ connection: { id, address }, onEnd, onClose }: EndStreamProperties) {
  const { streams } = texts;
  return (
    <ConfirmDialog
      title={streams.endTitle(address ?? '–')}
      text={streams.endText}
      label={streams.end}
      isDangerous
      onConfirm={() => onEnd(id)}
      onClose={onClose}
    />
  );
}

/** Says in a few words what a filter lets through. */
function describeFilter({ types, widgetIds, states, labels }: Schemas['EventFilter']): string {
  const parts = [
    types?.map((type) => type.slice('widget.'.length)).join(', '),
    states?.join(', '),
    labels?.join(', '),
    widgetIds?.join(', '),
  ];
  const given = parts.filter((part) => part !== undefined && part !== '');
  return given.length === 0 ? texts.streams.everything : given.join(' · ');
}
