import { Fragment } from 'preact';
import { Badge } from '../../parts/badges.tsx';
import { CopyButton } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { nameMember } from '../../parts/problems.ts';
import { ClockTime, FullTime } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/router.tsx';
import type { Schemas } from '../../service/service.ts';

export type Refusal = Schemas['Refusal'];

/** Says why a hook was refused, in one line: the mistakes in it if the service names any. */
export function describeRefusal({ detail, errors }: Refusal): string {
  const mistakes = errors.map((mistake) => [nameMember(mistake), mistake.detail].filter((text) => text !== ''));
  return mistakes.length === 0 ? detail : mistakes.map((texts) => texts.join(': ')).join(' ');
}

/** Refused hooks by time. Each opens its details below its row; the address says which one is open. */
export function RefusalTable({ refusals }: { readonly refusals: readonly Refusal[] }) {
  const opened = query.value.get('refusal');
  return (
    <>
      <table class="table hook-table" aria-label="Hooks">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">webhook-id</th>
            <th scope="col">Reason</th>
            <th scope="col" class="number">
              Received
            </th>
          </tr>
        </thead>
        <tbody>
          {refusals.map((refusal) => (
            <RefusalRow key={refusal.requestId} refusal={refusal} isOpen={opened === refusal.requestId} />
          ))}
        </tbody>
      </table>
      <p class="hint">
        Refused hooks are kept for up to 7 days, at most 100. A listed one may stand for several in the same second.
      </p>
    </>
  );
}

/** A refused hook names no widget that the service knows: only the id of its sender. */
function RefusalRow({ refusal, isOpen }: { readonly refusal: Refusal; readonly isOpen: boolean }) {
  const { requestId, webhookId } = refusal;
  const reason = describeRefusal(refusal);
  return (
    <Fragment>
      <tr class="hook-row">
        <td class="hook-state">
          <Badge tone="warning">Refused</Badge>
        </td>
        <th scope="row" class="hook-name" dir="auto">
          <button
            type="button"
            class="row-link"
            aria-expanded={isOpen}
            aria-controls={isOpen ? `refusal-${requestId}` : undefined}
            onClick={() => changeQuery({ refusal: isOpen ? null : requestId })}
          >
            {webhookId === null ? <span class="muted">No webhook-id</span> : <code>{webhookId}</code>}
          </button>
        </th>
        <td class="hook-reason" title={reason}>
          {reason}
        </td>
        <td class="hook-time number">
          <ClockTime at={refusal.refusedAt} />
        </td>
      </tr>
      {isOpen ? (
        <tr class="hook-details">
          <td id={`refusal-${requestId}`} colSpan={4}>
            <RefusalDetails refusal={refusal} />
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}

/** All that the service keeps of a refused hook. */
function RefusalDetails({ refusal }: { readonly refusal: Refusal }) {
  const { status, code, detail, errors, webhookId, requestId, unlisted } = refusal;
  return (
    <Facts
      facts={[
        ['Refused', <FullTime key="at" at={refusal.refusedAt} />],
        [
          'Problem',
          <span key="problem">
            {status} <code>{code}</code>
          </span>,
        ],
        ['Reason', detail],
        ...(errors.length === 0 ? [] : ([['Mistakes', describeRefusal(refusal)]] as const)),
        ['webhook-id', webhookId === null ? 'none' : <CopiedId key="id" id={webhookId} label="Copy webhook-id" />],
        ['Sender', refusal.clientAddress ?? 'Unknown'],
        ['Request id', <CopiedId key="request" id={requestId} label="Copy request id" />],
        ...(unlisted === 0 ? [] : ([['Not listed', describeUnlisted(unlisted)]] as const)),
      ]}
    />
  );
}

const describeUnlisted = (count: number) =>
  `Stands for ${formatCount(count)} more ${count === 1 ? 'hook' : 'hooks'} with this problem in the same second.`;

/** An id to copy. */
function CopiedId({ id, label }: { readonly id: string; readonly label: string }) {
  return (
    <span class="with-button">
      <code class="selectable">{id}</code>
      <CopyButton text={id} label={label} />
    </span>
  );
}
