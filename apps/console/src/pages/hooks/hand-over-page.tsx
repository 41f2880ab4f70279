import { useSignal } from '@preact/signals';
import { Check, Download, Send, TriangleAlert } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import type { IssuedGrant } from '../../grants/describe-grant.ts';
import { OldSecretNote, SecretLine } from '../../grants/secrets.tsx';
import { Button, CopyButton, Icon } from '../../parts/button.tsx';
import { showDialog, uncopiedText } from '../../parts/dialog.tsx';
import { Code, CodeTabs } from '../../parts/facts.tsx';
import { formatTime } from '../../parts/format.ts';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { goTo, Link, type RouteParameters, useLeaveQuestion } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { holdSecrets } from '../../session/session.ts';
import {
  environmentFileName,
  loadEnvironment,
  writeEnvironmentFile,
  writeHookSamples,
  writeInstructions,
} from './hook-samples.ts';
import { describeRefusal } from './refusals.tsx';
import { TestHookDialog } from './test-hook-dialog.tsx';

/** An integration whose secrets a person has not handed over yet. */
interface HeldSecrets {
  readonly issued: IssuedGrant & { readonly url: string };
  /** Whether another system sends, in its own form. */
  readonly hasSource: boolean;
  /** The page that follows. */
  readonly next: string;
}

const heldSecrets = holdSecrets<HeldSecrets>();

/** Leads to the page that shows the secrets of an integration once. `next`: by default, the page of the integration. */
export function handOver(issued: HeldSecrets['issued'], hasSource: boolean, next = `/hooks/${issued.id}`): void {
  heldSecrets.value = { issued, hasSource, next };
  goTo(`/hooks/${issued.id}/hand-over`);
}

/** Hands a new or rotated integration over to those who send. Its secrets are gone when the page is left. */
export function HandOverPage({ id = '' }: RouteParameters) {
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
      <PageHeader title="Hand-over" parents={[['Integrations', '/hooks']]} />
      <EmptyState
        title="The secrets are shown only once"
        text="The service keeps only hashes. If you have lost the secrets, rotate them: the integration gets new ones."
      >
        <Link to={`/hooks/${id}`} class="button button-plain">
          View integration
        </Link>
      </EmptyState>
    </>
  );
}

function HandOver({ held: { issued, hasSource, next } }: { readonly held: HeldSecrets }) {
  const { id, name, tokenIssuedAt, signingSecret } = issued;
  const isSigned = signingSecret !== undefined;
  const isSaved = useRef(false);
  useLeaveQuestion(() => (isSaved.current ? null : uncopiedText));
  const test = () =>
    showDialog((close) => <TestHookDialog integrationId={id} isSigned={isSigned} secrets={issued} onClose={close} />);
  return (
    <div class="hand-over">
      <PageHeader
        title="Hand-over"
        parents={[
          ['Integrations', '/hooks'],
          [name, `/hooks/${id}`],
        ]}
      >
        <Button kind="primary" onClick={() => goTo(next)}>
          <Icon of={Check} />
          Done
        </Button>
      </PageHeader>
      <p class="notice notice-warning notice-icon">
        <Icon of={TriangleAlert} />
        <span>
          Copy the secrets now. The service keeps only hashes and can't show them again. If you lose one, rotate it.
        </span>
      </p>
      <ol class="steps">
        <SecretsStep issued={issued} hasSource={hasSource} onSaved={() => (isSaved.current = true)} />
        {hasSource ? null : (
          <li class="step">
            <h2>Try it</h2>
            <p class="hint">
              Each sample reads the secrets from the environment. Keep others from reading the downloaded file, then
              load it into your shell:
            </p>
            <Code>{loadEnvironment}</Code>
            <CodeTabs label="Try it" codes={writeHookSamples(isSigned)} copyLabel="Copy code" />
          </li>
        )}
        <li class="step">
          <FirstHook integrationId={id} since={tokenIssuedAt} />
          {hasSource ? null : (
            <Button onClick={test}>
              <Icon of={Send} />
              Send test hook
            </Button>
          )}
        </li>
      </ol>
    </div>
  );
}

/** `onSaved`: every secret was copied. */
function SecretsStep({
  issued,
  hasSource,
  onSaved,
}: {
  readonly issued: HeldSecrets['issued'];
  readonly hasSource: boolean;
  readonly onSaved: () => void;
}) {
  const { url, signingSecret, name } = issued;
  const copied = useSignal<readonly string[]>([]);
  const noteCopied = (secret: string) => {
    copied.value = [...copied.value, secret];
    if (copied.value.includes(url) && copied.value.includes(signingSecret ?? url)) onSaved();
  };
  const download = () => {
    saveFile(environmentFileName, writeEnvironmentFile(issued));
    onSaved();
  };
  return (
    <li class="step">
      <h2>Send this to the partner</h2>
      <SecretLine label="Hook URL (secret)" secret={url} onCopied={() => noteCopied(url)} />
      {signingSecret === undefined ? null : (
        <SecretLine
          label="Signing secret (Standard Webhooks)"
          secret={signingSecret}
          onCopied={() => noteCopied(signingSecret)}
        />
      )}
      <OldSecretNote issued={issued} />
      {hasSource ? null : (
        <>
          <div class="step-actions">
            <Button onClick={download}>
              <Icon of={Download} />
              Download as .env
            </Button>
            <CopyButton text={writeInstructions(name, signingSecret !== undefined)} label="Copy instructions" />
          </div>
          <p class="hint">The instructions are an e-mail text without secrets. Send the secrets another way.</p>
        </>
      )}
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

/** Waits for the first hook since a moment by the clock of the service, or says why the newest one was refused. */
function FirstHook({ integrationId, since }: { readonly integrationId: string; readonly since: string }) {
  const first = useSignal<Schemas['Delivery'] | null>(null);
  const path = { id: integrationId };
  const read = useResource(
    async (signal) => {
      const [deliveries, refusals] = await Promise.all([
        api.GET('/api/v1/integrations/{id}/deliveries', {
          params: { path, query: { from: since, pageSize: 100 } },
          signal,
        }),
        api.GET('/api/v1/integrations/{id}/refusals', { params: { path, query: { pageSize: 1 } }, signal }),
      ]);
      // Newest first.
      first.value = deliveries.items.at(-1) ?? null;
      return refusals.items.find(({ refusedAt }) => Date.parse(refusedAt) >= Date.parse(since)) ?? null;
    },
    [integrationId, since],
    first.value === null ? { refreshMs: 2_000 } : {},
  );
  const refusal = read.data.value;
  return (
    <>
      <div role="status" class="first-hook">
        {first.value !== null ? (
          <p class="first-hook-arrived">
            First hook arrived <Clock at={first.value.receivedAt} />
          </p>
        ) : (
          <>
            {refusal === null ? null : (
              <p class="first-hook-refused">
                Refused <Clock at={refusal.refusedAt} />: {describeRefusal(refusal)}
              </p>
            )}
            <p>Waiting for the first hook…</p>
          </>
        )}
      </div>
      {first.value === null ? (
        <p class="hint">It appears here as soon as it arrives, even if it is refused.</p>
      ) : (
        <p>
          <Link to={`/hooks/${integrationId}/deliveries/${first.value.eventId}`}>View hook</Link>
        </p>
      )}
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
    </>
  );
}

function Clock({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatTime(Date.parse(at))}</time>;
}
