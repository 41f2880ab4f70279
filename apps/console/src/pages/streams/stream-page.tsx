import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { FullTime, Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { Link } from '../../router/link.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { ChangeSubscription } from './change-subscription.tsx';
import { describeFilter } from './event-filter.ts';

const refreshMs = 5_000;

/** One subscription with its open streams. */
export function StreamPage({ id = '' }: RouteParameters) {
  const { streams, grants } = texts;
  const path = { id };
  const read = useResource((signal) => api.GET('/api/v1/subscriptions/{id}', { params: { path }, signal }), [id]);
  const subscription = read.data.value;
  const isChanging = useSignal(false);
  return (
    <>
      <nav class="breadcrumb">
        <Link to="/streams">{streams.title}</Link>
      </nav>
      <PageHeader title={subscription?.name ?? id}>
        {subscription === null ? null : <Button onClick={() => (isChanging.value = true)}>{grants.change}</Button>}
      </PageHeader>
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
      {subscription === null ? null : (
        <>
          <Facts
            facts={[
              [streams.filter, describeFilter(subscription.filter) ?? streams.everything],
              [grants.createdAt, <FullTime key="created" at={subscription.createdAt} />],
              [grants.expires, <FullTime key="expires" at={subscription.expiresAt} />],
              [streams.lastConnectedAt, <FullTime key="last" at={subscription.lastConnectedAt} />],
            ]}
          />
          <OpenStreams id={id} />
          {isChanging.value ? (
            <ChangeSubscription
              subscription={subscription}
              onChanged={() => void read.reload()}
              onClose={() => (isChanging.value = false)}
            />
          ) : null}
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
  const end = useAction(async (connectionId: string) => {
    const target = { id, connectionId };
    await api.DELETE('/api/v1/subscriptions/{id}/connections/{connectionId}', { params: { path: target } });
    showToast(streams.ended);
    await list.reload();
  });
  const open = list.data.value;
  return (
    <section class="section">
      <h2>{streams.connections}</h2>
      <ProblemNotice error={list.error.value ?? end.error.value} onRetry={list.reload} />
      {open === null || open.podsAnswered === open.podsAsked ? null : (
        <p class="notice notice-warning">{streams.podsMissing(open.podsAnswered, open.podsAsked)}</p>
      )}
      {open?.items.length === 0 ? (
        <EmptyState title={streams.connectionsEmptyTitle} text={streams.connectionsEmpty} />
      ) : null}
      {open === null || open.items.length === 0 ? null : (
        <ConnectionTable connections={open.items} onEnd={(connectionId) => void end.run(connectionId)} />
      )}
    </section>
  );
}

interface ConnectionTableProperties {
  readonly connections: readonly Schemas['Connection'][];
  readonly onEnd: (id: string) => void;
}

function ConnectionTable({ connections, onEnd }: ConnectionTableProperties) {
  const { streams, grants } = texts;
  return (
    <table class="table" aria-label={streams.connections}>
      <thead>
        <tr>
          <th scope="col">{streams.address}</th>
          <th scope="col">{streams.openedAt}</th>
          <th scope="col">{streams.pod}</th>
          <th scope="col">{streams.sent}</th>
          <th scope="col">{streams.unsent}</th>
          <th scope="col">
            <span class="visually-hidden">{grants.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {connections.map(({ id, address, openedAt, pod, sentBytes, unsentBytes }) => (
          <tr key={id}>
            <th scope="row">{address ?? '–'}</th>
            <td data-label={streams.openedAt}>
              <Time at={openedAt} />
            </td>
            <td data-label={streams.pod}>{pod}</td>
            <td data-label={streams.sent}>{formatBytes(sentBytes)}</td>
            <td data-label={streams.unsent}>{formatBytes(unsentBytes)}</td>
            <td>
              <div class="table-actions">
                <Button kind="danger" aria-label={`${streams.end}: ${address}`} onClick={() => onEnd(id)}>
                  {streams.end}
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
