import { useSignal } from '@preact/signals';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Time } from '../../parts/time.tsx';
import { api } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';

/** The hooks that the service has refused, with the problem that the sender got. */
export function RefusalsList({ integrationId }: { readonly integrationId: string }) {
  const { hooks } = texts;
  const page = useSignal(1);
  const list = useResource(
    (signal) =>
      api.GET('/api/v1/integrations/{id}/refusals', {
        params: { path: { id: integrationId }, query: { page: page.value, pageSize: 10 } },
        signal,
      }),
    [integrationId, page.value],
    { refreshMs: 10_000 },
  );
  const read = list.data.value;
  return (
    <section class="section">
      <h2>{hooks.refusals}</h2>
      <ProblemNotice error={list.error.value} onRetry={list.reload} />
      {read?.items.length === 0 ? <EmptyState title={hooks.refusalsEmptyTitle} text={hooks.refusalsEmpty} /> : null}
      {read === null || read.items.length === 0 ? null : (
        <table class="table" aria-label={hooks.refusals}>
          <thead>
            <tr>
              <th scope="col">{hooks.refusedAt}</th>
              <th scope="col">{hooks.code}</th>
              <th scope="col">{hooks.detail}</th>
            </tr>
          </thead>
          <tbody>
            {read.items.map(({ requestId, refusedAt, code, detail, errors }) => (
              <tr key={requestId}>
                <th scope="row">
                  <Time at={refusedAt} />
                </th>
                <td data-label={hooks.code}>
                  <code>{code}</code>
                </td>
                <td data-label={hooks.detail}>
                  {detail} {errors.map(({ pointer, detail: mistake }) => `${pointer ?? ''} ${mistake}`).join(' ')}
                  <span class="muted small selectable">{texts.general.requestId(requestId)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {read === null ? null : <Pager {...read} onPage={(next) => (page.value = next)} />}
    </section>
  );
}
