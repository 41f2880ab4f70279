import { PagedList, usePages } from '../../parts/paged-list.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type Refusal = Schemas['Refusal'];

/** The hooks that the service has refused, with the problem that the sender got. */
export function RefusalsList({ integrationId }: { readonly integrationId: string }) {
  const { hooks, general } = texts;
  const list = usePages(
    ({ page }, signal) => {
      const params = { path: { id: integrationId }, query: { page, pageSize: 10 } };
      return api.GET('/api/v1/integrations/{id}/refusals', { params, signal });
    },
    [integrationId],
    { refreshMs: 10_000, pageName: 'refusalsPage', keyOf: ({ requestId }) => requestId },
  );
  return (
    <section class="section">
      <h2>{hooks.refusals}</h2>
      <PagedList list={list} empty={{ title: hooks.refusalsEmptyTitle, text: hooks.refusalsEmpty }}>
        {(items) => (
          <Table
            label={hooks.refusals}
            rows={items}
            keyOf={({ requestId }) => requestId}
            columns={[
              { title: hooks.refusedAt, cell: ({ refusedAt }) => <Time at={refusedAt} /> },
              { title: hooks.code, cell: Problem },
              { title: hooks.detail, cell: Reason },
              { title: hooks.webhookId, cell: ({ webhookId }) => webhookId ?? general.none },
              { title: hooks.sender, cell: ({ clientAddress }) => clientAddress ?? hooks.senderUnknown },
            ]}
          />
        )}
      </PagedList>
    </section>
  );
}

/** One listed refusal may stand for others that are not listed. */
function Problem({ code, status, unlisted }: Refusal) {
  return (
    <>
      <code>{code}</code> <span class="muted">{status}</span>
      {unlisted === 0 ? null : <p class="small">{texts.hooks.unlisted(unlisted)}</p>}
    </>
  );
}

function Reason({ detail, errors, requestId }: Refusal) {
  return (
    <>
      {detail} {errors.map(({ pointer, detail: mistake }) => `${pointer ?? ''} ${mistake}`).join(' ')}
      <span class="muted small selectable">{texts.general.requestId(requestId)}</span>
    </>
  );
}
