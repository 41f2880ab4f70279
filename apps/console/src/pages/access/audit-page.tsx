import { Badge } from '../../parts/badges.tsx';
import { Select } from '../../parts/fields.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { firstPage, PagedList, usePages } from '../../parts/paged-list.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type AuditEvent = Schemas['AuditEvent'];
type Action = AuditEvent['action'];
const tones = { succeeded: 'good', refused: 'warning', failed: 'bad' } as const;

/** Every action, once. The compiler compares the names with those of the service. */
const listed: Readonly<Record<Action, true>> = {
  'session.created': true,
  'session.failed': true,
  'session.ended': true,
  'personal-stream.issued': true,
  'password.changed': true,
  'user.created': true,
  'user.changed': true,
  'user.unlocked': true,
  'subscription.created': true,
  'subscription.changed': true,
  'subscription.token-rotated': true,
  'subscription.revoked': true,
  'integration.created': true,
  'integration.changed': true,
  'integration.token-rotated': true,
  'integration.mapping-changed': true,
  'integration.secrets-replaced': true,
  'integration.samples-kept': true,
  'integration.samples-deleted': true,
  'integration.revoked': true,
  'provision-token.created': true,
  'provision-token.changed': true,
  'provision-token.token-rotated': true,
  'provision-token.revoked': true,
  'delivery.redriven': true,
  'delivery.discarded': true,
  'quarantined-text.discarded': true,
  'widget.created': true,
  'stream.ended': true,
  'access.refused': true,
};

const auditActions = Object.keys(listed) as Action[];

/** Who did what, newest first. The chosen action is in the address. */
export function AuditPage() {
  const { access } = texts;
  const action = auditActions.find((name) => name === query.value.get('action'));
  const list = usePages(
    ({ page, asOf }, signal) => {
      const filter = {
        page,
        pageSize: 50,
        ...(action === undefined ? {} : { action }),
        ...(asOf === null ? {} : { to: asOf }),
      };
      return api.GET('/api/v1/audit-events', { params: { query: filter }, signal });
    },
    [action],
    { refreshMs: 10_000, keyOf: ({ id }) => id, timeOf: ({ occurredAt }) => occurredAt },
  );
  return (
    <>
      <PageHeader title={access.audit}>
        <Select
          isShort
          label={access.action}
          options={[['', access.allActions], ...auditActions.map((name) => [name, name] as const)]}
          value={action ?? ''}
          onChange={(next) => changeQuery({ action: next, ...firstPage })}
        />
      </PageHeader>
      <PagedList list={list} empty={{ title: access.auditEmptyTitle, text: access.auditEmpty }}>
        {(events) => <AuditTable events={events} />}
      </PagedList>
    </>
  );
}

function AuditTable({ events }: { readonly events: readonly AuditEvent[] }) {
  const { access } = texts;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also by the keyboard.
    <section class="table-scroll" aria-label={access.audit} tabIndex={0}>
      <Table
        label={access.audit}
        rows={events}
        keyOf={({ id }) => id}
        columns={[
          { title: access.when, cell: ({ occurredAt }) => <Time at={occurredAt} /> },
          { title: access.what, cell: ({ action }) => action },
          {
            title: access.outcome,
            cell: ({ outcome, code }) => (
              <>
                <Badge tone={tones[outcome]}>{access.outcomes[outcome]}</Badge> {code}
              </>
            ),
          },
          {
            title: access.who,
            cell: ({ actor, clientAddress }) => (
              <>
                {actor.kind} {clientAddress} <ShortId id={actor.id} />
              </>
            ),
          },
          {
            title: access.target,
            cell: ({ target }) =>
              target === null ? null : (
                <>
                  {target.kind} <ShortId id={target.id} />
                </>
              ),
          },
          { title: access.changes, cell: (event) => <code class="wrapped">{describeChanges(event)}</code> },
        ]}
      />
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
