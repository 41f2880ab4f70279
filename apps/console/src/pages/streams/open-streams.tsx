import { ask } from '../../parts/dialog.tsx';
import { formatBytes } from '../../parts/format.ts';
import { actionsColumn, type Column, RowButton, Table } from '../../parts/lists.tsx';
import { EmptyState, ReadState, showToast } from '../../parts/messages.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';

type Connection = Schemas['Connection'];

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
