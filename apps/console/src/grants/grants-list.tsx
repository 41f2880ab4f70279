import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Time } from '../parts/time.tsx';
import { Link } from '../router/link.tsx';
import { useResource } from '../service/use-resource.ts';
import { texts } from '../texts/texts.ts';
import { RevokeDialog, RotateDialog } from './grant-dialogs.tsx';
import { type Grant, type GrantPath, type IssuedGrant, readGrants, readLastUsed } from './grant-kind.ts';

interface GrantsListProperties {
  readonly path: GrantPath;
  /** The accessible name of the table. */
  readonly label: string;
  /** What an empty list teaches. */
  readonly emptyText: string;
  /** Where the name of a grant leads, if it has a page. */
  readonly toPage?: (grant: Grant) => string;
  /** Another number reads the list again. */
  readonly version: number;
  readonly onIssued: (issued: IssuedGrant) => void;
  /** The dialog that changes a grant. */
  readonly renderChange: (grant: Grant, close: () => void, onChanged: () => void) => ComponentChildren;
}

const refreshMs = 15_000;

/** All grants of a kind, with what can be done to them. */
export function GrantsList({ path, label, emptyText, toPage, version, onIssued, renderChange }: GrantsListProperties) {
  const page = useSignal(1);
  const changed = useSignal<Grant | null>(null);
  const rotated = useSignal<Grant | null>(null);
  const revoked = useSignal<Grant | null>(null);
  const list = useResource((signal) => readGrants(path, page.value, signal), [path, page.value], { refreshMs });
  // What is shown stays until the new list is there.
  useEffect(() => {
    if (version > 0) void list.reload();
  }, [version]);
  const read = list.data.value;
  const { grants, general } = texts;
  return (
    <>
      <ProblemNotice error={list.error.value} onRetry={list.reload} />
      {read === null && list.error.value === null ? <p class="muted">{general.loading}</p> : null}
      {read?.items.length === 0 ? <EmptyState title={grants.emptyTitle} text={emptyText} /> : null}
      {read === null || read.items.length === 0 ? null : (
        <table class="table" aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{grants.name}</th>
              <th scope="col">{grants.createdAt}</th>
              <th scope="col">{grants.expires}</th>
              <th scope="col">{grants.lastUsed}</th>
              <th scope="col">
                <span class="visually-hidden">{grants.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {read.items.map((grant) => (
              <tr key={grant.id}>
                <th scope="row">{toPage === undefined ? grant.name : <Link to={toPage(grant)}>{grant.name}</Link>}</th>
                <td data-label={grants.createdAt}>
                  <Time at={grant.createdAt} />
                </td>
                <td data-label={grants.expires}>
                  <Time at={grant.expiresAt} />
                </td>
                <td data-label={grants.lastUsed}>
                  <Time at={readLastUsed(grant)} />
                </td>
                <td>
                  <div class="table-actions">
                    <Button aria-label={`${grants.change}: ${grant.name}`} onClick={() => (changed.value = grant)}>
                      {grants.change}
                    </Button>
                    <Button aria-label={`${grants.rotate}: ${grant.name}`} onClick={() => (rotated.value = grant)}>
                      {grants.rotate}
                    </Button>
                    <Button
                      kind="danger"
                      aria-label={`${grants.revoke}: ${grant.name}`}
                      onClick={() => (revoked.value = grant)}
                    >
                      {grants.revoke}
                    </Button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {read === null ? null : <Pager {...read} onPage={(next) => (page.value = next)} />}
      {changed.value === null
        ? null
        : renderChange(
            changed.value,
            () => (changed.value = null),
            () => void list.reload(),
          )}
      {rotated.value === null ? null : (
        <RotateDialog path={path} grant={rotated.value} onClose={() => (rotated.value = null)} onRotated={onIssued} />
      )}
      {revoked.value === null ? null : (
        <RevokeDialog
          path={path}
          grant={revoked.value}
          onClose={() => (revoked.value = null)}
          onRevoked={() => void list.reload()}
        />
      )}
    </>
  );
}
