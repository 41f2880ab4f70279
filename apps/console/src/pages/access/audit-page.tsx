import { useSignal } from '@preact/signals';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Time } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { AccessTabs } from './access-tabs.tsx';
import { auditActions } from './audit-actions.ts';

type AuditEvent = Schemas['AuditEvent'];
const tones = { succeeded: 'good', refused: 'warning', failed: 'bad' } as const;

/** Who did what, newest first. The chosen action is in the address. */
export function AuditPage() {
  const { access } = texts;
  const page = useSignal(1);
  const action = auditActions.find((name) => name === query.value.get('action'));
  const list = useResource(
    (signal) => {
      const filter = { page: page.value, pageSize: 50, ...(action === undefined ? {} : { action }) };
      return api.GET('/api/v1/audit-events', { params: { query: filter }, signal });
    },
    [page.value, action],
    { refreshMs: 10_000 },
  );
  const read = list.data.value;
  return (
    <>
      <PageHeader title={access.tabs.audit}>
        <select
          class="input input-short"
          aria-label={access.action}
          value={action ?? ''}
          onChange={({ currentTarget }) => {
            page.value = 1;
            changeQuery({ action: currentTarget.value });
          }}
        >
          <option value="">{access.allActions}</option>
          {auditActions.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </PageHeader>
      <AccessTabs />
      <ProblemNotice error={list.error.value} onRetry={list.reload} />
      {read?.items.length === 0 ? <EmptyState title={access.auditEmptyTitle} text={access.auditEmpty} /> : null}
      {read === null || read.items.length === 0 ? null : <AuditTable events={read.items} />}
      {read === null ? null : <Pager {...read} onPage={(next) => (page.value = next)} />}
    </>
  );
}

function AuditTable({ events }: { readonly events: readonly AuditEvent[] }) {
  const { access } = texts;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also by the keyboard.
    <section class="table-scroll" aria-label={access.tabs.audit} tabIndex={0}>
      <table class="table" aria-label={access.tabs.audit}>
        <thead>
          <tr>
            <th scope="col">{access.when}</th>
            <th scope="col">{access.what}</th>
            <th scope="col">{access.outcome}</th>
            <th scope="col">{access.who}</th>
            <th scope="col">{access.target}</th>
            <th scope="col">{access.changes}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <th scope="row">
                <Time at={event.occurredAt} />
              </th>
              <td data-label={access.what}>{event.action}</td>
              <td data-label={access.outcome}>
                <Badge tone={tones[event.outcome]}>{access.outcomes[event.outcome]}</Badge> {event.code}
              </td>
              <td data-label={access.who}>
                {event.actor.kind} {event.clientAddress} <ShortId id={event.actor.id} />
              </td>
              <td data-label={access.target}>
                {event.target === null ? null : (
                  <>
                    {event.target.kind} <ShortId id={event.target.id} />
                  </>
                )}
              </td>
              <td data-label={access.changes}>
                <code class="wrapped">{describeChanges(event)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The end of an id, which tells ids apart. The whole one shows on hover. */
function ShortId({ id }: { readonly id: string | null }) {
  return id === null ? null : <code title={id}>…{id.slice(-12)}</code>;
}

/** `role: viewer → admin`. */
function describeChanges({ before, after }: AuditEvent): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const show = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));
  return [...names].map((name) => `${name}: ${show(before?.[name])} → ${show(after?.[name])}`).join('\n');
}
