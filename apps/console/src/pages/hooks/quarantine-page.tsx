import { useSignal } from '@preact/signals';
import { ConfirmDialog, Dialog } from '../../parts/dialog.tsx';
import { Code } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format.ts';
import { ProblemNotice, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PagedList, usePages } from '../../parts/paged-list.tsx';
import { actionsColumn, type Column, RowButton, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { quoteText } from './quote-text.ts';

type QuarantinedText = Schemas['QuarantinedText'];
/** What a dialog is about, or null. */
type Asked = { readonly what: 'show' | 'discard'; readonly id: string } | null;

/** The texts of the hook queue that could not even become dead letters. */
export function QuarantinePage() {
  const { quarantine, title } = texts.hooks;
  const asked = useSignal<Asked>(null);
  const list = usePages(
    ({ page }, signal) => api.GET('/api/v1/quarantine', { params: { query: { page, pageSize: 25 } }, signal }),
    [],
    { refreshMs: 10_000, keyOf: ({ id }) => id },
  );
  const close = () => (asked.value = null);
  return (
    <>
      <PageHeader title={quarantine.title} parents={[[title, '/hooks']]} />
      <p class="intro">{quarantine.intro}</p>
      <PagedList list={list} empty={{ title: quarantine.emptyTitle, text: quarantine.empty }}>
        {(items) => (
          <Table
            label={quarantine.title}
            rows={items}
            keyOf={({ id }) => id}
            columns={listColumns((next) => (asked.value = next))}
          />
        )}
      </PagedList>
      {asked.value?.what === 'show' ? <ShowTextDialog id={asked.value.id} onClose={close} /> : null}
      {asked.value?.what === 'discard' ? (
        <DiscardTextDialog id={asked.value.id} onClose={close} onDone={list.reload} />
      ) : null}
    </>
  );
}

function listColumns(ask: (asked: Asked) => void): Column<QuarantinedText>[] {
  const { quarantine } = texts.hooks;
  return [
    { title: quarantine.quarantinedAt, cell: ({ quarantinedAt }) => <Time at={quarantinedAt} /> },
    { title: quarantine.reason, cell: ({ reason }) => quarantine.reasons[reason] },
    {
      title: quarantine.integration,
      cell: ({ integrationId: id }) =>
        id === null ? quarantine.unknown : <Link to={`/hooks/${encodeURIComponent(id)}`}>{id}</Link>,
    },
    { title: quarantine.size, cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
    actionsColumn(({ id }) => (
      <>
        <RowButton label={quarantine.show} row={id} onClick={() => ask({ what: 'show', id })} />
        <RowButton label={quarantine.discard} row={id} kind="danger" onClick={() => ask({ what: 'discard', id })} />
      </>
    )),
  ];
}

interface TextDialogProperties {
  readonly id: string;
  readonly onClose: () => void;
}

/** Shows a quarantined text. Anybody who can write to the queue may have written it. */
function ShowTextDialog({ id, onClose }: TextDialogProperties) {
  const { quarantine } = texts.hooks;
  const read = useResource((signal) => api.GET('/api/v1/quarantine/{id}', { params: { path: { id } }, signal }), [id]);
  const found = read.data.value;
  return (
    <Dialog title={quarantine.showTitle} onClose={onClose}>
      <p class="muted">{quarantine.showText}</p>
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
      {found === null ? null : <Code>{quoteText(found.text)}</Code>}
    </Dialog>
  );
}

/** Asks, and then removes a quarantined text. */
function DiscardTextDialog({
  id,
  onClose,
  onDone,
}: TextDialogProperties & { readonly onDone: () => Promise<unknown> }) {
  const { quarantine } = texts.hooks;
  const discard = async () => {
    await api.DELETE('/api/v1/quarantine/{id}', { params: { path: { id } } });
    showToast(quarantine.discarded);
    await onDone();
  };
  return (
    <ConfirmDialog
      title={quarantine.discardTitle}
      text={quarantine.discardText}
      label={quarantine.discard}
      isDangerous
      onConfirm={discard}
      onClose={onClose}
    />
  );
}
