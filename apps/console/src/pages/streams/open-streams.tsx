import { useSignal } from '@preact/signals';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { formatBytes } from '../../parts/format.ts';
import { EmptyState, showToast } from '../../parts/messages.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { actionsColumn, RowButton, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';

const refreshMs = 5_000;

/** The open streams of a subscription, on every pod. */
export function OpenStreams({ id }: { readonly id: string }) {
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
      {open?.isComplete === false ? <p class="notice notice-warning">{streams.isCut}</p> : null}
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
            { title: streams.sent, cell: ({ sentBytes }) => formatBytes(sentBytes), isNumber: true },
            { title: streams.unsent, cell: ({ unsentBytes }) => formatBytes(unsentBytes), isNumber: true },
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
