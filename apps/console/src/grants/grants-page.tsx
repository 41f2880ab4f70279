import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { SearchField, Select } from '../parts/fields.tsx';
import { actionsColumn, type Column, type Page, PagedTable, usePages } from '../parts/lists.tsx';
import { PageHeader } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { changeQuery, Link, query } from '../router/router.tsx';
import { api } from '../service/service.ts';
import {
  type Grant,
  type GrantKind,
  type GrantOrder,
  grantOrders,
  readLastUsed,
  sortGrants,
} from './describe-grant.ts';
import { editGrant, GrantActions } from './grant-actions.tsx';

interface GrantsPageProperties {
  readonly kind: GrantKind;
  /** Links beside the button that creates. */
  readonly links?: readonly (readonly [title: string, path: string])[];
  /** Between the heading and the list. */
  readonly children?: ComponentChildren;
}

/** All grants of a kind, with what can be done to them. */
export function GrantsPage({ kind, links = [], children }: GrantsPageProperties) {
  const { path, title, intro, emptyText, createLabel } = kind;
  const search = useSearchText();
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
        <GrantSearch canSort={list.data.value === null || list.data.value.totalPages <= 1} />
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
        sort={(items) => (list.data.value?.totalPages === 1 ? sortGrants(items, readOrder()) : items)}
      />
    </>
  );
}

/** How long nobody must have typed before a list is read again, in milliseconds. */
const calmMs = 250;

/** Returns the text of the address by which a list of grants is searched, when nobody types any more. */
function useSearchText(): string {
  const typed = (query.value.get('search') ?? '').trim();
  const calm = useSignal(typed);
  useEffect(() => {
    const timer = setTimeout(() => (calm.value = typed), calmMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return calm.value;
}

const orders = Object.entries(grantOrders) as [GrantOrder, string][];

/** Reads the order of a list of grants from the address. */
function readOrder(): GrantOrder {
  return orders.find(([order]) => order === query.value.get('sort'))?.[0] ?? 'newest';
}

/** The search in a list of grants, and its order if `canSort`. Both are in the address. */
function GrantSearch({ canSort }: { readonly canSort: boolean }) {
  return (
    <search class="filters filters-above-list">
      <SearchField label="Search by name" />
      {canSort ? (
        <Select
          isShort
          label="Order"
          options={orders}
          value={readOrder()}
          onChange={(order) => changeQuery({ sort: order === 'newest' ? null : order })}
        />
      ) : null}
    </search>
  );
}
