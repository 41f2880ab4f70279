import { CopyButton } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FullTime } from '../../parts/time.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { describeMistakes } from './describe-refusal.ts';

/** All that the service keeps of a refused hook. */
export function RefusalDetails({ refusal }: { readonly refusal: Schemas['Refusal'] }) {
  const { hooks, general } = texts;
  const { refusedAt, status, code, detail, errors, webhookId, clientAddress, requestId, unlisted } = refusal;
  return (
    <Facts
      facts={[
        [hooks.refusedAt, <FullTime key="at" at={refusedAt} />],
        [
          hooks.problem,
          <>
            {status} <code>{code}</code>
          </>,
        ],
        [hooks.detail, detail],
        ...(errors.length === 0 ? [] : ([[hooks.mistakes, describeMistakes(errors)]] as const)),
        [hooks.webhookId, webhookId === null ? general.none : <CopiedId id={webhookId} label={hooks.copyWebhookId} />],
        [hooks.sender, clientAddress ?? hooks.senderUnknown],
        [hooks.requestId, <CopiedId key="request" id={requestId} label={hooks.copyRequestId} />],
        ...(unlisted === 0 ? [] : ([[hooks.notListed, hooks.unlisted(unlisted)]] as const)),
      ]}
    />
  );
}

interface CopiedIdProperties {
  readonly id: string;
  readonly label: string;
}

/** An id to copy. */
function CopiedId({ id, label }: CopiedIdProperties) {
  return (
    <span class="with-button">
      <code class="selectable">{id}</code>
      <CopyButton text={id} label={label} />
    </span>
  );
}
