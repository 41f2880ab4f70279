import { ask } from '../../parts/dialog.tsx';
import { formatBytes } from '../../parts/format.ts';
import { actionsColumn, RowButton, Table } from '../../parts/lists.tsx';
import { EmptyState, ReadState, showToast } from '../../parts/messages.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';

/** The open streams of a subscription, on every pod. */
export function OpenStreams({ id }: { readonly id: string }) {
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
  const askEnd = ({ id: connectionId, address }: Schemas['Connection']) =>
    ask({
      title: `Close the stream to ${address ?? '–'}`,
      text: 'Clients usually reconnect at once. To keep a client out, revoke the subscription.',
      label: 'Close stream',
      isDangerous: true,
      onConfirm: () => end(connectionId),
    });
  const open = list.data.value;
  return (
    <section class="section">
      <h2>Open streams</h2>
      <ReadState read={list} />
      {open?.isComplete === false ? (
        <p class="notice notice-warning">
          A pod has more streams than the 1 000 that it lists. Some may be missing here.
        </p>
      ) : null}
      {open?.items.length === 0 ? (
        <EmptyState title="No open streams" text="A program that opens the URL appears here." />
      ) : null}
      {open === null || open.items.length === 0 ? null : (
        <Table
          label="Open streams"
          rows={open.items}
          keyOf={(connection) => connection.id}
          columns={[
            { title: 'Address', cell: ({ address }) => address ?? '–' },
            { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} /> },
            { title: 'Pod', cell: ({ pod }) => pod },
            { title: 'Sent', cell: ({ sentBytes }) => formatBytes(sentBytes), isNumber: true },
            { title: 'Buffered', cell: ({ unsentBytes }) => formatBytes(unsentBytes), isNumber: true },
            actionsColumn((connection: Schemas['Connection']) => (
              <RowButton
                label="Close stream"
                row={connection.address ?? '–'}
                kind="danger"
                onClick={() => askEnd(connection)}
              />
            )),
          ]}
        />
      )}
    </section>
  );
}
