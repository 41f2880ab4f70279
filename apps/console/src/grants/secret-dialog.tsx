import { useSignal } from '@preact/signals';
import { Button, CopyButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Code } from '../parts/facts.tsx';
import { FullTime } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import type { IssuedGrant } from './grant-kind.ts';
import type { Snippets } from './snippets.ts';

interface SecretDialogProperties {
  readonly issued: IssuedGrant;
  /** Code that uses the secret, by language. Empty: there is none to show. */
  readonly snippets: Snippets;
  readonly onClose: () => void;
}

/** Shows a secret once. It is nowhere but in this dialog, which only its button closes. */
export function SecretDialog({ issued, snippets, onClose }: SecretDialogProperties) {
  const { grants } = texts;
  const language = useSignal(Object.keys(snippets)[0] ?? '');
  const code = snippets[language.value] ?? '';
  return (
    <Dialog title={grants.secretTitle(issued.name)} onClose={onClose} canDismiss={false}>
      <p class="notice notice-warning">{grants.secretText}</p>
      {issued.url === undefined ? (
        <Secret label={grants.token} text={issued.token} />
      ) : (
        <Secret label={grants.url} text={issued.url} />
      )}
      {issued.signingSecret === undefined ? null : <Secret label={grants.signingSecret} text={issued.signingSecret} />}
      {issued.previousExpiresAt == null ? null : (
        <p class="hint">
          {grants.previousUntil} <FullTime at={issued.previousExpiresAt} />
        </p>
      )}
      {code === '' ? null : (
        <>
          <h3 class="code-title">{grants.lines}</h3>
          <div class="tabs" role="tablist" aria-label={grants.lines}>
            {Object.keys(snippets).map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                class="tab"
                aria-selected={name === language.value}
                onClick={() => (language.value = name)}
              >
                {name}
              </button>
            ))}
          </div>
          <Code>{code}</Code>
        </>
      )}
      <div class="dialog-actions">
        {code === '' ? null : <CopyButton text={code} label={grants.copyLines} />}
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
