import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { PagedList, usePages } from '../parts/paged-list.tsx';
import { actionsColumn, type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Link } from '../router/link.tsx';
import { texts } from '../texts/texts.ts';
import { type AskedAction, GrantActionDialog, type GrantKind, IssuedSecret } from './grant-actions.tsx';
import { type Grant, type IssuedGrant, readGrants } from './grant-kind.ts';
import { GrantMenu } from './grant-menu.tsx';
import { GrantSearch, readOrder, useSearchText } from './grant-search.tsx';
import { readLastUsed } from './read-last-used.ts';
import { sortGrants } from './sort-grants.ts';

interface GrantsPageProperties extends GrantKind {
  readonly title: string;
  /** Says what such a grant is. */
  readonly intro: string;
  /** What an empty list teaches. */
  readonly emptyText: string;
  readonly createLabel: string;
  /** Where the name of a grant leads, if it has a page. */
  readonly toPage?: (grant: Grant) => string;
  /** Links beside the button that creates. */
  readonly links?: readonly (readonly [title: string, path: string])[];
  /** Between the heading and the list. */
  readonly children?: ComponentChildren;
  readonly renderCreate: (close: () => void, onCreated: (issued: IssuedGrant) => void) => ComponentChildren;
}

type Asked = AskedAction | { readonly action: 'create' };

/** All grants of a kind, with what can be done to them. */
export function GrantsPage(properties: GrantsPageProperties) {
  const { path, title, intro, emptyText, createLabel, toPage, links = [], children } = properties;
  const { grants } = texts;
  const asked = useSignal<Asked | null>(null);
  const issued = useSignal<IssuedGrant | null>(null);
  const search = useSearchText();
  const list = usePages((query, signal) => readGrants(path, query.page, search, signal), [path, search], {
    refreshMs: 15_000,
    keyOf: ({ id }) => id,
  });
  const ask = (next: Asked) => (asked.value = next);
  const current = asked.value;
  // A dialog that was left while its request runs must not close the one that was opened since.
  const close = () => {
    if (asked.peek() === current) asked.value = null;
  };
  const { writeSnippets, onIssued = (grant: IssuedGrant) => (issued.value = grant) } = properties;
  return (
    <>
      <PageHeader title={title}>
        {links.map(([name, to]) => (
          <Link key={to} to={to} class="button button-plain">
            {name}
          </Link>
        ))}
        <Button kind="primary" data-shortcut="c" onClick={() => ask({ action: 'create' })}>
          {createLabel}
        </Button>
      </PageHeader>
      {children}
      <p class="intro">{intro}</p>
      {search === '' && list.data.value?.items.length === 0 ? null : (
        <GrantSearch canSort={list.data.value === null || list.data.value.totalPages <= 1} />
      )}
      <PagedList
        list={list}
        empty={
          search === ''
            ? { title: grants.emptyTitle, text: emptyText }
            : { title: grants.noMatchTitle(search), text: grants.noMatch }
        }
      >
        {(items) => (
          <Table
            label={title}
            rows={list.data.value?.totalPages === 1 ? sortGrants(items, readOrder()) : items}
            keyOf={({ id }) => id}
            columns={listColumns(toPage, ask)}
          />
        )}
      </PagedList>
      <GrantDialog
        {...properties}
        asked={current}
        onIssued={onIssued}
        onChanged={() => void list.reload()}
        onClose={close}
      />
      <IssuedSecret issued={issued} {...(writeSnippets === undefined ? {} : { writeSnippets })} />
    </>
  );
}

function listColumns(toPage: GrantsPageProperties['toPage'], ask: (asked: Asked) => void): Column<Grant>[] {
  const { grants } = texts;
  return [
    {
      title: grants.name,
      cell: (grant) => (toPage === undefined ? grant.name : <Link to={toPage(grant)}>{grant.name}</Link>),
    },
    { title: grants.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: grants.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { title: grants.lastUsed, cell: (grant) => <Time at={readLastUsed(grant)} /> },
    actionsColumn((grant) => <GrantMenu grant={grant} onAsk={(action) => ask({ action, grant })} />),
  ];
}

interface GrantDialogProperties extends Pick<GrantsPageProperties, 'path' | 'renderCreate' | 'renderChange'> {
  readonly asked: Asked | null;
  readonly onIssued: (issued: IssuedGrant, grant: Grant | null) => void;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** The dialog that was asked for, if any. */
function GrantDialog(properties: GrantDialogProperties) {
  const { asked, path, renderCreate, renderChange, onIssued, onChanged, onClose } = properties;
  if (asked === null) return null;
  if (asked.action === 'create') {
    const onCreated = (grant: IssuedGrant) => {
      onChanged();
      onIssued(grant, null);
    };
    return <>{renderCreate(onClose, onCreated)}</>;
  }
  return (
    <GrantActionDialog
      path={path}
      renderChange={renderChange}
      asked={asked}
      onIssued={onIssued}
      onChanged={onChanged}
      onRevoked={onChanged}
      onClose={onClose}
    />
  );
}
