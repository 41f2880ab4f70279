import { ask, Dialog, showDialog } from '../../parts/dialog.tsx';
import { Code } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format.ts';
import { actionsColumn, type Column, PagedTable, RowButton, usePages } from '../../parts/lists.tsx';
import { ProblemNotice, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { quoteText } from '../../parts/text.ts';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';

type QuarantinedText = Schemas['QuarantinedText'];

/** The texts of the hook queue that could not even become dead letters. */
export function QuarantinePage() {
  const list = usePages(
    ({ page }, signal) => api.GET('/api/v1/quarantine', { params: { query: { page, pageSize: 25 } }, signal }),
    [],
    { refreshMs: 10_000, keyOf: ({ id }) => id },
  );
  const askDiscard = (id: string) =>
    ask({
      title: 'Discard this text?',
      text: 'This removes the text for good. If it is a hook, its sender must repeat it.',
      label: 'Discard',
      isDangerous: true,
      onSubmit: async () => {
        await api.DELETE('/api/v1/quarantine/{id}', { params: { path: { id } } });
        showToast('Text discarded.');
        await list.reload();
      },
    });
  return (
    <>
      <PageHeader title="Quarantine" parents={[['Integrations', '/hooks']]} />
      <p class="intro">
        Texts in the hook queue that could not even become dead deliveries, usually because another program wrote them.
        They have no effect. They stay until you discard them.
      </p>
      <PagedTable
        list={list}
        empty={{ title: 'Nothing in quarantine', text: 'A text in the hook queue that is not a hook appears here.' }}
        label="Quarantine"
        keyOf={({ id }) => id}
        columns={listColumns(askDiscard)}
      />
    </>
  );
}

const reasons: Readonly<Record<QuarantinedText['reason'], string>> = {
  unreadable: 'It names no event or integration.',
  'store-refused': 'The database rejects this hook, even as a dead delivery.',
};

const show = (id: string) => showDialog((close) => <ShowTextDialog id={id} onClose={close} />);

function listColumns(onDiscard: (id: string) => void): Column<QuarantinedText>[] {
  return [
    { title: 'Quarantined', cell: ({ quarantinedAt }) => <Time at={quarantinedAt} /> },
    { title: 'Reason', cell: ({ reason }) => reasons[reason] },
    {
      title: 'Integration',
      cell: ({ integrationId: id }) =>
        id === null ? 'Unknown' : <Link to={`/hooks/${encodeURIComponent(id)}`}>{id}</Link>,
    },
    { title: 'Size', cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
    actionsColumn(({ id }) => (
      <>
        <RowButton label="Show" row={id} onClick={() => show(id)} />
        <RowButton label="Discard" row={id} kind="danger" onClick={() => onDiscard(id)} />
      </>
    )),
  ];
}

/** Shows a quarantined text. Anybody who can write to the queue may have written it. */
function ShowTextDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const read = useResource((signal) => api.GET('/api/v1/quarantine/{id}', { params: { path: { id } }, signal }), [id]);
  const found = read.data.value;
  return (
    <Dialog title="Text in quarantine" onClose={onClose}>
      <p class="muted">
        The first 20,000 characters, written as a JSON string. The service did not write this text: do not trust it.
      </p>
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
      {found === null ? null : <Code>{quoteText(found.text)}</Code>}
    </Dialog>
  );
}
