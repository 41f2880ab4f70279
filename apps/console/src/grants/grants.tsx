import { signal } from '@preact/signals';
import { Copy, Pencil, RotateCcwKey, TimerOff, Trash2 } from 'lucide';
import type { ComponentChildren } from 'preact';
import { ActionMenu } from '../parts/action-menu.tsx';
import { Button } from '../parts/button.tsx';
import { ask } from '../parts/dialog.tsx';
import { SearchField, Select, TextField } from '../parts/fields.tsx';
import { actionsColumn, type Column, type Page, PagedTable, usePages } from '../parts/lists.tsx';
import { copyId, showToast } from '../parts/messages.tsx';
import { PageHeader } from '../parts/page.tsx';
import { nameTimeZone, readLocalText, toLocalText } from '../parts/preferences.ts';
import { Time } from '../parts/time.tsx';
import { changeQuery, goTo, Link, query } from '../router/router.tsx';
import { api } from '../service/service.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { usePause } from '../service/use-service.ts';
import {
  type Grant,
  type GrantKind,
  type GrantOrder,
  grantOrders,
  hasOldSecret,
  type IssuedGrant,
  readLastUsed,
  sortGrants,
} from './describe-grant.ts';
import { askEndOldSecret, rotateSecret } from './secrets.tsx';

interface GrantsPageProperties {
  readonly kind: GrantKind;
  /** Links beside the button that creates. */
  readonly links?: readonly (readonly [title: string, path: string])[];
  /** Between the heading and the list. */
  readonly children?: ComponentChildren;
}

const orders = Object.entries(grantOrders) as [GrantOrder, string][];

/** All grants of a kind, with what can be done to them. The search and the order are in the address. */
export function GrantsPage({ kind, links = [], children }: GrantsPageProperties) {
  const { path, title, intro, emptyText, createLabel } = kind;
  const order = orders.find(([name]) => name === query.value.get('sort'))?.[0] ?? 'newest';
  const search = usePause((query.value.get('search') ?? '').trim());
  const list = usePages(
    ({ page }, signal): Promise<Page<Grant>> =>
      api.GET(path, { params: { query: { page, pageSize: 200, ...(search === '' ? {} : { name: search }) } }, signal }),
    [path, search],
    { refreshMs: 15_000, keyOf: ({ id }) => id },
  );
  const reload = () => void list.reload();
  const columns: readonly Column<Grant>[] = [
    {
      title: 'Name',
      cell: ({ id, name }) => (kind.hasPages ? <Link to={`${kind.listPage}/${id}`}>{name}</Link> : name),
    },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { title: 'Last used', cell: (grant) => <Time at={readLastUsed(grant)} /> },
    actionsColumn((grant) => <GrantActions kind={kind} grant={grant} onChanged={reload} onRevoked={reload} />),
  ];
  return (
    <>
      <PageHeader title={title}>
        {links.map(([name, to]) => (
          <Link key={to} to={to} class="button button-plain">
            {name}
          </Link>
        ))}
        <Button kind="primary" data-creates onClick={() => editGrant(kind, null, reload)}>
          {createLabel}
        </Button>
      </PageHeader>
      {children}
      <p class="intro">{intro}</p>
      {search === '' && list.data.value?.items.length === 0 ? null : (
        <search class="filters filters-above-list">
          <SearchField label="Search by name" />
          {list.data.value === null || list.data.value.totalPages <= 1 ? (
            <Select
              isShort
              label="Order"
              options={orders}
              value={order}
              onChange={(next) => changeQuery({ sort: next === 'newest' ? null : next })}
            />
          ) : null}
        </search>
      )}
      <PagedTable
        list={list}
        empty={
          search === ''
            ? { title: 'None yet', text: emptyText }
            : { title: `No name contains “${search}”`, text: 'Change the search, or clear it to see all.' }
        }
        label={title}
        keyOf={({ id }) => id}
        columns={columns}
        sort={(items) => (list.data.value?.totalPages === 1 ? sortGrants(items, order) : items)}
      />
    </>
  );
}

interface GrantActionsProperties {
  readonly kind: GrantKind;
  readonly grant: Grant;
  readonly onChanged: () => void;
  /** Default: the page of the grant is left for the list. */
  readonly onRevoked?: () => void;
}

/**
 * Opens the form that creates or changes a grant. A change keeps the secret, and sends only the members that the person
 * has changed: the service refuses an expiry in the past, even if it was that before.
 */
function editGrant(kind: GrantKind, grant: Grant | null, onChanged: () => void): void {
  const { path } = kind;
  const name = signal(grant?.name ?? '');
  /** As an input of the type `datetime-local` has it: in the chosen time zone. Empty for no end. */
  const expires = signal(toLocalText(grant?.expiresAt ?? null));
  const further = kind.makeFields?.(grant);
  const read = (): Record<string, unknown> => ({
    name: name.value,
    expiresAt: readLocalText(expires.value),
    ...further?.toBody(),
  });
  const before = read();
  const isChanged = ([member, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[member]);
  ask({
    title: grant === null ? kind.createLabel : `Edit ${grant.name}`,
    label: grant === null ? 'Create' : 'Save',
    Fields: () => (
      <>
        <TextField
          of={name}
          label="Name"
          hint="Shown in lists. For example, the partner's name."
          pointer="/name"
          required
        />
        <TextField
          of={expires}
          label="Expires"
          hint={`Optional. Time zone: ${nameTimeZone()}.`}
          pointer="/expiresAt"
          type="datetime-local"
          step="1"
        />
        {further === undefined ? null : <further.Fields />}
      </>
    ),
    onSubmit: async () => {
      if (grant === null) {
        const issued: IssuedGrant = await api.POST(path, { body: read() as { name: string } });
        onChanged();
        kind.onIssued(issued, null);
        return;
      }
      const body = Object.fromEntries(Object.entries(read()).filter(isChanged));
      await api.PATCH(`${path}/{id}`, { params: { path: { id: grant.id } }, body });
      showToast('Saved');
      onChanged();
    },
  });
}

/** Everything that can be done with a grant, as a menu. */
export function GrantActions({
  kind,
  grant,
  onChanged,
  onRevoked = () => goTo(kind.listPage),
}: GrantActionsProperties) {
  const { path } = kind;
  const { id, name } = grant;
  const rotate = () =>
    rotateSecret(path, grant, (issued) => {
      onChanged();
      kind.onIssued(issued, grant);
    });
  const askRevoke = () =>
    ask({
      title: `Revoke ${name}`,
      text: "It stops working within 2 seconds everywhere. This can't be undone.",
      label: 'Revoke',
      isDangerous: true,
      onSubmit: async () => {
        await api.DELETE(`${path}/{id}`, { params: { path: { id } } });
        showToast(`${name} was revoked.`);
        onRevoked();
      },
    });
  const askEndOld = () => askEndOldSecret(path, grant, onChanged);
  const endOld = { label: 'End old secret…', icon: TimerOff, isDangerous: true, onChoose: askEndOld };
  return (
    <ActionMenu
      label={`Actions of ${name}`}
      entries={[
        { label: 'Edit', icon: Pencil, onChoose: () => editGrant(kind, grant, onChanged) },
        { label: 'Rotate secret…', icon: RotateCcwKey, onChoose: rotate },
        { label: 'Copy id', icon: Copy, onChoose: () => void copyId(id) },
        ...(hasOldSecret(grant, readServiceMs()) ? [endOld] : []),
        { label: 'Revoke…', icon: Trash2, isDangerous: true, onChoose: askRevoke },
      ]}
    />
  );
}
