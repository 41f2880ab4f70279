import { Button, CopyButton } from '../parts/button.tsx';
import { CodeTabs } from '../parts/code-tabs.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FullTime } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { IssuedGrant } from './grant-kind.ts';
import type { Snippets } from './snippets.ts';

interface SecretDialogProperties {
  readonly issued: IssuedGrant;
  /** Code that uses the secret, by language. */
  readonly snippets: Snippets;
  readonly onClose: () => void;
}

/** Shows a secret once. It is nowhere but in this dialog, which only its button closes. */
export function SecretDialog({ issued, snippets, onClose }: SecretDialogProperties) {
  const { grants } = texts;
  return (
    <Dialog title={grants.secretTitle(issued.name)} onClose={onClose} canDismiss={false}>
      <p class="notice notice-warning">{grants.secretText}</p>
      {issued.url === undefined ? (
        <Secret label={grants.token} text={issued.token} />
      ) : (
        <Secret label={grants.url} text={issued.url} />
      )}
      {issued.previousExpiresAt == null ? null : (
        <p class="hint">
          {grants.previousUntil} <FullTime at={issued.previousExpiresAt} />
        </p>
      )}
      <h3 class="code-title">{grants.lines}</h3>
      <CodeTabs label={grants.lines} codes={snippets} copyLabel={grants.copyLines} />
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          {grants.secretKept}
        </Button>
      </div>
    </Dialog>
  );
}

function Secret({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div class="field">
      <strong>{label}</strong>
      <span class="with-button">
        <code class="secret selectable">{text}</code>
        <CopyButton text={text} />
      </span>
    </div>
  );
}
