import { useSignal } from '@preact/signals';
import { Check, Download, Send, TriangleAlert } from 'lucide';
import { useEffect } from 'preact/hooks';
import { SecretLine } from '../../../grants/secret-line.tsx';
import { Button, CopyButton } from '../../../parts/button.tsx';
import { CodeTabs } from '../../../parts/code-tabs.tsx';
import { Code } from '../../../parts/facts.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { LeaveQuestion } from '../../../parts/leave-question.tsx';
import { EmptyState } from '../../../parts/messages.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { FullTime } from '../../../parts/time.tsx';
import { goTo } from '../../../router/address.ts';
import { Link } from '../../../router/link.tsx';
import type { RouteParameters } from '../../../router/match-route.ts';
import { texts } from '../../../texts/texts.ts';
import { TestHookDialog } from '../test-hook-dialog.tsx';
import { FirstHook } from './first-hook.tsx';
import { type HeldSecrets, heldSecrets } from './held-secrets.ts';
import { environmentFileName, loadEnvironment, writeEnvironmentFile, writeHookSamples } from './hook-samples.ts';

/** Hands a new or rotated integration over to those who send. Its secrets are gone when the page is left. */
export function HandOverPage({ id = '' }: RouteParameters) {
  const { hooks, handOver } = texts;
  const held = heldSecrets.value;
  useEffect(
    () => () => {
      heldSecrets.value = null;
    },
    [],
  );
  if (held !== null && held.issued.id === id) return <HandOver held={held} />;
  return (
    <>
      <PageHeader title={handOver.title} parents={[[hooks.title, '/hooks']]} />
      <EmptyState title={handOver.gone} text={handOver.goneText}>
        <Link to={`/hooks/${id}`} class="button button-plain">
          {handOver.toIntegration}
        </Link>
      </EmptyState>
    </>
  );
}

function HandOver({ held }: { readonly held: HeldSecrets }) {
  const { hooks, handOver } = texts;
  const { issued, hasSource, next } = held;
  const isSaved = useSignal(false);
  const isTesting = useSignal(false);
  return (
    <div class="hand-over">
      <PageHeader
        title={handOver.title}
        parents={[
          [hooks.title, '/hooks'],
          [issued.name, `/hooks/${issued.id}`],
        ]}
      >
        <Button kind="primary" onClick={() => goTo(next)}>
          <Icon of={Check} />
          {handOver.done}
        </Button>
      </PageHeader>
      <p class="notice notice-warning notice-icon">
        <Icon of={TriangleAlert} />
        <span>{handOver.warning}</span>
      </p>
      <ol class="steps">
        <SecretsStep held={held} onSaved={() => (isSaved.value = true)} />
        {hasSource ? null : <SamplesStep isSigned={issued.signingSecret !== undefined} />}
        <li class="step">
          <FirstHook integrationId={issued.id} since={issued.tokenIssuedAt} />
          {hasSource ? null : (
            <Button onClick={() => (isTesting.value = true)}>
              <Icon of={Send} />
              {hooks.test}
            </Button>
          )}
        </li>
      </ol>
      {isTesting.value ? (
        <TestHookDialog
          integrationId={issued.id}
          isSigned={issued.signingSecret !== undefined}
          secrets={issued}
          onClose={() => (isTesting.value = false)}
        />
      ) : null}
      {isSaved.value ? null : (
        <LeaveQuestion
          title={handOver.leaveTitle}
          text={handOver.leaveText}
          stayLabel={handOver.stay}
          leaveLabel={handOver.saved}
        />
      )}
    </div>
  );
}

interface SecretsStepProperties {
  readonly held: HeldSecrets;
  /** Every secret was copied. */
  readonly onSaved: () => void;
}

function SecretsStep({ held: { issued, hasSource }, onSaved }: SecretsStepProperties) {
  const { handOver, grants } = texts;
  const { url, signingSecret, name, previousExpiresAt } = issued;
  const copied = useSignal<readonly string[]>([]);
  const noteCopied = (secret: string) => {
    copied.value = [...copied.value, secret];
    const secrets = signingSecret === undefined ? [url] : [url, signingSecret];
    if (secrets.every((each) => copied.value.includes(each))) onSaved();
  };
  return (
    <li class="step">
      <h2>{handOver.send}</h2>
      <SecretLine label={handOver.url} secret={url} onCopied={() => noteCopied(url)} />
      {signingSecret === undefined ? null : (
        <SecretLine label={handOver.signingSecret} secret={signingSecret} onCopied={() => noteCopied(signingSecret)} />
      )}
      {previousExpiresAt == null ? null : (
        <p class="hint">
          {grants.previousUntil} <FullTime at={previousExpiresAt} />
        </p>
      )}
      {hasSource ? null : (
        <>
          <div class="step-actions">
            <Button
              onClick={() => {
                saveFile(environmentFileName, writeEnvironmentFile(issued));
                onSaved();
              }}
            >
              <Icon of={Download} />
              {handOver.download}
            </Button>
            <CopyButton
              text={handOver.writeInstructions(name, signingSecret !== undefined)}
              label={handOver.copyInstructions}
            />
          </div>
          <p class="hint">{handOver.instructionsHint}</p>
        </>
      )}
    </li>
  );
}

function SamplesStep({ isSigned }: { readonly isSigned: boolean }) {
  const { handOver, grants } = texts;
  return (
    <li class="step">
      <h2>{handOver.tryIt}</h2>
      <p class="hint">{handOver.tryHint}</p>
      <Code>{loadEnvironment}</Code>
      <CodeTabs label={handOver.tryIt} codes={writeHookSamples(isSigned)} copyLabel={grants.copyLines} />
    </li>
  );
}

/** Has the browser save a text as a file. The text is in no address. */
function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
