import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Badge } from '../parts/badges.tsx';
import { Button, CopyButton } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { LinesField } from '../parts/fields.tsx';
import { showToast } from '../parts/messages.tsx';
import { FullTime, Time } from '../parts/time.tsx';
import { api } from '../service/service.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { useResource } from '../service/use-resource.ts';
import { may, sessionState } from '../session/session.ts';
import {
  findIssuer,
  formatUntil,
  type Grant,
  type GrantPath,
  hasOldSecret,
  type IssuedGrant,
  maskSecret,
  toIssueQuery,
} from './describe-grant.ts';

/**
 * Makes a place for secrets that a person has not saved yet. They are only in memory, never in the address, the history
 * or a storage, and they are gone when the session ends: the next person at this machine must not see them.
 */
export function holdSecrets<Held>(): Signal<Held | null> {
  const held = signal<Held | null>(null);
  sessionState.subscribe(({ kind }) => {
    if (kind !== 'signed-in') held.value = null;
  });
  return held;
}

/** Reads the secrets of a foreign sender from a text with one in each line. */
export function toSecrets(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The secrets of a foreign sender, one in each line. What is typed is kept nowhere. */
export function SourceSecretsField({ value }: { readonly value: Signal<string> }) {
  return (
    <LinesField
      isSecret
      label="Secrets"
      hint="One per line. They are never shown again."
      value={value.value}
      onInput={(next) => (value.value = next)}
    />
  );
}

interface SecretLineProperties {
  readonly label: string;
  readonly secret: string;
  readonly onCopied: () => void;
}

/** A secret that is hidden until the person wants to see it. It can be copied all the same. */
export function SecretLine({ label, secret, onCopied }: SecretLineProperties) {
  const isShown = useSignal(false);
  const labelId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and nothing is typed here.
    <div class="field" role="group" aria-labelledby={labelId}>
      <strong id={labelId}>{label}</strong>
      <div class="secret-line">
        <code class={isShown.value ? 'secret selectable' : 'secret'}>
          {isShown.value ? secret : maskSecret(secret)}
        </code>
        <Button kind="quiet" onClick={() => (isShown.value = !isShown.value)}>
          {isShown.value ? 'Hide' : 'Show'}
        </Button>
        <CopyButton text={secret} onCopied={onCopied} />
      </div>
    </div>
  );
}

/** Until when the secret from before a rotation works. Nothing if there is none. */
export function OldSecretNote({ issued: { previousExpiresAt: end } }: { readonly issued: IssuedGrant }) {
  return end == null ? null : (
    <p class="hint">
      The old secret is valid until <FullTime at={end} />
    </p>
  );
}

interface SecretProperties {
  readonly path: GrantPath;
  readonly grant: Grant;
}

/** When the secret of a grant was issued and by whom, and the secret from before, while that works. */
export function listSecretFacts(
  path: GrantPath,
  grant: Grant,
  onEnded: () => void,
): readonly (readonly [string, ComponentChildren])[] {
  const issued = ['Secret issued', <SecretIssued key="issued" path={path} grant={grant} />] as const;
  if (!hasOldSecret(grant, readServiceMs())) return [issued];
  return [issued, ['Old secret', <OldSecret key="old" path={path} grant={grant} onEnded={onEnded} />]];
}

/** `2 min ago by Ines Moreau`. The audit log knows the name. */
function SecretIssued({ path, grant }: SecretProperties) {
  const read = useResource(
    async (signal) =>
      may('audit:read')
        ? (await api.GET('/api/v1/audit-events', { params: { query: toIssueQuery(path, grant) }, signal })).items
        : [],
    [path, grant.id, grant.tokenIssuedAt],
  );
  const name = findIssuer(read.data.value ?? []);
  return (
    <>
      <Time at={grant.tokenIssuedAt} />
      {name === null ? null : (
        <>
          {' '}
          by <bdi>{name}</bdi>
        </>
      )}
    </>
  );
}

function OldSecret({ path, grant, onEnded }: SecretProperties & { readonly onEnded: () => void }) {
  const isAsking = useSignal(false);
  return (
    <span class="old-secret">
      <Badge tone="warning">
        Valid until {formatUntil(Date.parse(grant.previousExpiresAt ?? ''), readServiceMs())}
      </Badge>
      <Button onClick={() => (isAsking.value = true)}>End now</Button>
      {isAsking.value ? (
        <EndOldSecretDialog path={path} grant={grant} onEnded={onEnded} onClose={() => (isAsking.value = false)} />
      ) : null}
    </span>
  );
}

interface EndOldSecretDialogProperties extends SecretProperties {
  readonly onEnded: () => void;
  readonly onClose: () => void;
}

/** Ends the secret from before the last rotation. The current one stays. */
export function EndOldSecretDialog({ path, grant: { id, name }, onEnded, onClose }: EndOldSecretDialogProperties) {
  return (
    <ConfirmDialog
      title={`End the old secret of ${name}`}
      text="The old secret stops working within 2 seconds. Whoever still uses it is cut off. The current secret keeps working."
      label="End old secret"
      isDangerous
      onConfirm={async () => {
        await api.DELETE(`${path}/{id}/previous-token`, { params: { path: { id } } });
        showToast('Old secret ended.');
        onEnded();
      }}
      onClose={onClose}
    />
  );
}
