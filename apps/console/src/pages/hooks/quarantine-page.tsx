import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { formatBytes } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { DiscardTextDialog, ShowTextDialog } from './quarantine-dialogs.tsx';

type QuarantinedText = Schemas['QuarantinedText'];
/** What a dialog is about, or null. */
type Asked = { readonly what: 'show' | 'discard'; readonly id: string } | null;

/** The texts of the hook queue that could not even become dead letters. */
export function QuarantinePage() {
  const { quarantine, title } = texts.hooks;
  const page = useSignal(1);
  const asked = useSignal<Asked>(null);
  const list = useResource(
    (signal) => api.GET('/api/v1/quarantine', { params: { query: { page: page.value, pageSize: 25 } }, signal }),
    [page.value],
    { refreshMs: 10_000 },
  );
  const read = list.data.value;
  const close = () => (asked.value = null);
  return (
    <>
      <nav class="breadcrumb">
        <Link to="/hooks">{title}</Link>
      </nav>
      <PageHeader title={quarantine.title} />
      <p class="intro">{quarantine.intro}</p>
      <ProblemNotice error={list.error.value} onRetry={list.reload} />
      {read?.items.length === 0 ? <EmptyState title={quarantine.emptyTitle} text={quarantine.empty} /> : null}
      {read === null || read.items.length === 0 ? null : (
        <QuarantineTable items={read.items} onAsk={(next) => (asked.value = next)} />
      )}
      {read === null ? null : <Pager {...read} onPage={(next) => (page.value = next)} />}
      {asked.value?.what === 'show' ? <ShowTextDialog id={asked.value.id} onClose={close} /> : null}
      {asked.value?.what === 'discard' ? (
        <DiscardTextDialog id={asked.value.id} onClose={close} onDone={list.reload} />
      ) : null}
    </>
  );
}

interface QuarantineTableProperties {
  readonly items: readonly QuarantinedText[];
  readonly onAsk: (asked: Asked) => void;
}

function QuarantineTable({ items, onAsk }: QuarantineTableProperties) {
  const { quarantine } = texts.hooks;
  return (
    <table class="table" aria-label={quarantine.title}>
      <thead>
        <tr>
          <th scope="col">{quarantine.quarantinedAt}</th>
          <th scope="col">{quarantine.reason}</th>
          <th scope="col">{quarantine.integration}</th>
          <th scope="col">{quarantine.size}</th>
          <th scope="col">
            <span class="visually-hidden">{quarantine.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, quarantinedAt, reason, integrationId, sizeBytes }) => (
          <tr key={id}>
            <th scope="row">
              <Time at={quarantinedAt} />
            </th>
            <td data-label={quarantine.reason}>{reason === null ? quarantine.unknown : quarantine.reasons[reason]}</td>
            <td data-label={quarantine.integration}>
              {integrationId === null ? (
                quarantine.unknown
              ) : (
                <Link to={`/hooks/${encodeURIComponent(integrationId)}`}>{integrationId}</Link>
              )}
            </td>
            <td data-label={quarantine.size}>{sizeBytes === null ? quarantine.unknown : formatBytes(sizeBytes)}</td>
            <td>
              <div class="table-actions">
                <Button aria-label={`${quarantine.show}: ${id}`} onClick={() => onAsk({ what: 'show', id })}>
                  {quarantine.show}
                </Button>
                <Button
                  kind="danger"
                  aria-label={`${quarantine.discard}: ${id}`}
                  onClick={() => onAsk({ what: 'discard', id })}
                >
                  {quarantine.discard}
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
