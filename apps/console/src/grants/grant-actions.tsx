import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { goTo } from '../router/address.ts';
import { EndOldSecretDialog } from './end-old-secret-dialog.tsx';
import type { Grant, GrantPath, IssuedGrant } from './grant-kind.ts';
import { type GrantAction, GrantMenu } from './grant-menu.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import type { Snippets } from './snippets.ts';

/** What is special about the grants of one kind. */
export interface GrantKind {
  readonly path: GrantPath;
  /** The dialog that changes a grant. */
  readonly renderChange: (grant: Grant, close: () => void, onChanged: () => void) => ComponentChildren;
  /** The code that is shown beside a new secret. */
  readonly writeSnippets?: (issued: IssuedGrant) => Snippets;
  /** Shows a new secret. Gets the grant before its rotation, or null for a new one. Default: a dialog. */
  readonly onIssued?: (issued: IssuedGrant, grant: Grant | null) => void;
}

/** What was asked for, and with which grant. */
export interface AskedAction {
  readonly action: GrantAction;
  readonly grant: Grant;
}

interface GrantActionDialogProperties extends Pick<GrantKind, 'path' | 'renderChange'> {
  readonly asked: AskedAction;
  readonly onIssued: (issued: IssuedGrant, grant: Grant) => void;
  readonly onChanged: () => void;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

/** The dialog of an action. */
export function GrantActionDialog(properties: GrantActionDialogProperties) {
  const { asked, path, renderChange, onIssued, onChanged, onRevoked, onClose } = properties;
  const { action, grant } = asked;
  const dialog = { path, grant, onClose };
  if (action === 'edit') return <>{renderChange(grant, onClose, onChanged)}</>;
  if (action === 'revoke') return <RevokeDialog {...dialog} onRevoked={onRevoked} />;
  if (action === 'end-old') return <EndOldSecretDialog {...dialog} onEnded={onChanged} />;
  const rotated = (issued: IssuedGrant) => {
    onChanged();
    onIssued(issued, grant);
  };
  return <RotateDialog {...dialog} onRotated={rotated} />;
}

interface IssuedSecretProperties extends Pick<GrantKind, 'writeSnippets'> {
  /** Null: none is shown. */
  readonly issued: Signal<IssuedGrant | null>;
}

/** The dialog with a new secret, if there is one. */
export function IssuedSecret({ issued, writeSnippets = () => ({}) }: IssuedSecretProperties) {
  if (issued.value === null) return null;
  const snippets = writeSnippets(issued.value);
  return <SecretDialog issued={issued.value} snippets={snippets} onClose={() => (issued.value = null)} />;
}

interface GrantActionsProperties extends GrantKind {
  readonly grant: Grant;
  /** The page of all grants of the kind, which follows a revocation. */
  readonly listPage: string;
  readonly onChanged: () => void;
}

/** The menu of a grant on its own page, with its dialogs. */
export function GrantActions(properties: GrantActionsProperties) {
  const { grant, listPage, path, renderChange, writeSnippets, onChanged } = properties;
  const asked = useSignal<AskedAction | null>(null);
  const issued = useSignal<IssuedGrant | null>(null);
  const { onIssued = (next) => (issued.value = next) } = properties;
  const current = asked.value;
  const close = () => {
    if (asked.peek() === current) asked.value = null;
  };
  return (
    <>
      <GrantMenu grant={grant} onAsk={(action) => (asked.value = { action, grant })} />
      {current === null ? null : (
        <GrantActionDialog
          path={path}
          renderChange={renderChange}
          asked={current}
          onIssued={onIssued}
          onChanged={onChanged}
          onRevoked={() => goTo(listPage)}
          onClose={close}
        />
      )}
      <IssuedSecret issued={issued} {...(writeSnippets === undefined ? {} : { writeSnippets })} />
    </>
  );
}
