import { computed, type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Badge } from '../parts/badges.tsx';
import { Button, CopyButton } from '../parts/button.tsx';
import { ask } from '../parts/dialog.tsx';
import { CheckField, LinesField, SelectField } from '../parts/fields.tsx';
import { formatCountOf } from '../parts/format.ts';
import { showToast } from '../parts/messages.tsx';
import { FullTime, Time } from '../parts/time.tsx';
import { api } from '../service/service.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { useResource } from '../service/use-service.ts';
import { may } from '../session/session.ts';
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

/** Reads the secrets of a foreign sender from a text with one in each line. */
export function toSecrets(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The secrets of a foreign sender, one in each line. The typed text is not stored. */
export function SourceSecretsField({ of }: { readonly of: Signal<string> }) {
  return <LinesField of={of} isSecret label="Secrets" hint="One per line. They are never shown again." />;
}

interface SecretLineProperties {
  readonly label: string;
  readonly secret: string;
  readonly onCopied: () => void;
}

/** A secret that is masked until the person wants to see it. It can be copied without that. */
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
  return (
    <span class="old-secret">
      <Badge tone="warning">
        Valid until {formatUntil(Date.parse(grant.previousExpiresAt ?? ''), readServiceMs())}
      </Badge>
      <Button onClick={() => askEndOldSecret(path, grant, onEnded)}>End now</Button>
    </span>
  );
}

/** Ends the secret from before the last rotation, after a question. The current one stays. */
export function askEndOldSecret(path: GrantPath, { id, name }: Grant, onEnded: () => void): void {
  ask({
    title: `End the old secret of ${name}`,
    text: 'The old secret stops working within 2 seconds. Whoever still uses it is cut off. The current secret keeps working.',
    label: 'End old secret',
    isDangerous: true,
    onSubmit: async () => {
      await api.DELETE(`${path}/{id}/previous-token`, { params: { path: { id } } });
      showToast('Old secret ended.');
      onEnded();
    },
  });
}

const reasons = [
  {
    id: 'rotation-routine',
    leaked: false,
    name: 'Routine',
    hint: 'The old secret keeps working for a while, so that nobody is cut off.',
  },
  { id: 'rotation-leak', leaked: true, name: 'The secret has leaked', hint: 'The old secret stops working now.' },
];

/** The holder has a day to switch, unless somebody wants less. */
const routineOverlapSeconds = 86_400;
/** How long the old secret may keep working, in seconds. */
const overlaps: readonly (readonly [number, string])[] = [
  [routineOverlapSeconds, 'After 1 day'],
  [3_600, 'After 1 hour'],
  [300, 'After 5 minutes'],
  [0, 'Immediately'],
];
const overlapHints = {
  routine: 'Until then, both secrets work.',
  unsigned:
    'Until then, the old URL accepts hooks without a signature from anyone who knows it. If it may have leaked, choose “Immediately”.',
};

/** Asks how to replace the secret of a grant. For hooks without signatures, it can also require them from now on. */
export function rotateSecret(path: GrantPath, grant: Grant, onRotated: (issued: IssuedGrant) => void): void {
  const isLeaked = signal(false);
  const routineSeconds = signal<number>(routineOverlapSeconds);
  const isSigning = signal(false);
  const secrets = signal('');
  const overlapSeconds = computed(() => (isLeaked.value ? 0 : routineSeconds.value));
  // Only with the old URL could the service read the secrets of a foreign sender.
  const hasSource = 'source' in grant && grant.source !== null;
  const readFurther = () => {
    if (hasSource) return { secrets: toSecrets(secrets.value) };
    return isSigning.value ? { signature: 'standard-webhooks' } : {};
  };
  ask({
    title: `Rotate the secret of ${grant.name}`,
    text: 'Creates a new secret. Choose how long the old one keeps working.',
    label: 'Rotate secret',
    isDangerous: computed(() => overlapSeconds.value === 0),
    Fields: () => (
      <>
        <fieldset class="radio-group">
          <legend>Why?</legend>
          {reasons.map(({ id, leaked, name, hint }) => (
            <div key={id} class="radio">
              <input
                id={id}
                type="radio"
                name="rotation-reason"
                checked={isLeaked.value === leaked}
                aria-describedby={`${id}-hint`}
                onChange={() => (isLeaked.value = leaked)}
              />
              <label for={id}>{name}</label>
              <p id={`${id}-hint`} class="hint">
                {hint}
              </p>
            </div>
          ))}
        </fieldset>
        {'signature' in grant && grant.signature === 'none' ? (
          <CheckField
            of={isSigning}
            label="Require signed hooks from now on"
            // Signatures protect nothing while the old URL accepts hooks without one.
            onChange={(checked) => (routineSeconds.value = checked ? 0 : routineOverlapSeconds)}
          />
        ) : null}
        {hasSource ? <SourceSecretsField of={secrets} /> : null}
        {isLeaked.value ? null : (
          <SelectField
            of={routineSeconds}
            label="The old secret stops working"
            hint={routineSeconds.value === 0 ? undefined : overlapHints[isSigning.value ? 'unsigned' : 'routine']}
            options={overlaps}
          />
        )}
        {!isLeaked.value && hasOldSecret(grant, readServiceMs()) ? (
          <p class="hint">An even older secret still works. It stops working now.</p>
        ) : null}
        {overlapSeconds.value === 0 ? (
          <div class="notice notice-warning">
            <p>
              The old secret stops working within 2 seconds. Whoever uses it is cut off until they have the new one.
            </p>
            {'filter' in grant ? <CutOffStreams subscriptionId={grant.id} /> : null}
          </div>
        ) : null}
      </>
    ),
    onSubmit: async () => {
      const body = { overlapSeconds: overlapSeconds.value, ...(readFurther() as object) };
      onRotated(await api.POST(`${path}/{id}/rotate`, { params: { path: { id: grant.id } }, body }));
    },
  });
}

/** Says how many open streams of a subscription end with its old secret. Nothing while that is not known. */
function CutOffStreams({ subscriptionId }: { readonly subscriptionId: string }) {
  const read = useResource(
    (signal) => api.GET('/api/v1/subscriptions/{id}/connections', { params: { path: { id: subscriptionId } }, signal }),
    [subscriptionId],
    { refreshMs: 5_000 }, // Another pod may answer than before, which knows of a new stream some seconds later.
  );
  const open = read.data.value;
  if (open === null) return null;
  const { totalItems: count, isComplete } = open;
  // Otherwise a pod has more than it lists.
  const atLeast = isComplete ? '' : 'At least ';
  return <p>{`${atLeast}${formatCountOf(count, 'open stream')} will be closed.`}</p>;
}
