import { Badge } from '../../parts/badges.tsx';
import { CopiedId, Facts } from '../../parts/facts.tsx';
import { formatCountOf } from '../../parts/format.ts';
import { Table } from '../../parts/lists.tsx';
import { describeMistakes } from '../../parts/problems.ts';
import { ClockTime, FullTime } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/router.tsx';
import type { Schemas } from '../../service/service.ts';

export type Refusal = Schemas['Refusal'];

/** Says why a hook was refused, in one line: the mistakes in it if the service names any. */
export function describeRefusal({ detail, errors }: Refusal): string {
  return errors.length === 0 ? detail : describeMistakes(errors);
}

/** Refused hooks by time. Each opens its details below its row; the address says which one is open. */
export function RefusalTable({ refusals }: { readonly refusals: readonly Refusal[] }) {
  const isOpen = ({ requestId }: Refusal) => requestId === query.value.get('refusal');
  return (
    <>
      <Table
        label="Hooks"
        class="hook-table"
        rows={refusals}
        keyOf={({ requestId }) => requestId}
        namedBy={1}
        columns={[
          { title: 'State', class: 'hook-state', cell: () => <Badge tone="warning">Refused</Badge> },
          {
            // A refused hook names no widget that the service knows: only the id of its sender.
            title: 'webhook-id',
            class: 'hook-name',
            cell: (refusal) => (
              <button
                type="button"
                class="row-link"
                aria-expanded={isOpen(refusal)}
                onClick={() => changeQuery({ refusal: isOpen(refusal) ? null : refusal.requestId })}
              >
                {refusal.webhookId === null ? (
                  <span class="muted">No webhook-id</span>
                ) : (
                  <code>{refusal.webhookId}</code>
                )}
              </button>
            ),
          },
          {
            title: 'Reason',
            class: 'hook-reason',
            cell: (refusal) => <span title={describeRefusal(refusal)}>{describeRefusal(refusal)}</span>,
          },
          {
            title: 'Received',
            class: 'hook-time',
            isNumber: true,
            cell: ({ refusedAt }) => <ClockTime at={refusedAt} />,
          },
        ]}
        detailsOf={(refusal) => (isOpen(refusal) ? <RefusalDetails refusal={refusal} /> : null)}
      />
      <p class="hint">
        Refused hooks are kept for up to 7 days, at most 100. A listed one may stand for several in the same second.
      </p>
    </>
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
        ...(unlisted === 0
          ? []
          : ([
              [
                'Not listed',
                `Stands for ${formatCountOf(unlisted, 'more hook')} with this problem in the same second.`,
              ],
            ] as const)),
      ]}
    />
  );
}
