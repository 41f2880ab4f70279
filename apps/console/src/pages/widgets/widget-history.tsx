import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { useEffect } from 'preact/hooks';
import { formatCount } from '../../parts/format.ts';
import { Pager, usePages } from '../../parts/paged-list.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { findExpiredHooks } from './expired-hooks.ts';
import { HistoryEntry } from './history-entry.tsx';
import { listChanges, type PayloadChange } from './payload-changes.ts';

type Delivery = Schemas['DeliveryOfWidget'];
type DeliveryPage = Schemas['PagedResultDeliveryOfWidget'];

interface WidgetHistoryProperties {
  readonly widget: { readonly id: string; readonly version: number; readonly createdAt: string };
}

/** What happened to a widget, newest first: the hooks that name it, and at the end its creation. */
export function WidgetHistory({ widget }: WidgetHistoryProperties) {
  const read = usePages(
    ({ page, asOf }, signal) => readHistory(widget.id, { page, ...(asOf === null ? {} : { to: asOf }) }, signal),
    [widget.id],
    { refreshMs: 5_000, timeOf: ({ receivedAt }) => receivedAt },
  );
  // The stream tells of a change earlier than the next refresh.
  useEffect(() => void read.reload(), [widget.version]);
  const list = read.data.value;
  const expired = list === null || list.hasNext ? null : findExpiredHooks(list, widget.version);
  const changes = compareVersions(list?.items ?? []);
  return (
    <section class="section">
      <h2>History</h2>
      <ReadState read={read} />
      {list === null ? null : (
        <>
          <ol class="history" aria-label="History">
            {list.items.map((delivery) => (
              <HistoryEntry
                key={delivery.eventId}
                delivery={delivery}
                changes={changes.get(delivery.eventId) ?? null}
              />
            ))}
            {expired === null ? null : <li class="history-entry history-expired muted">{describeExpired(expired)}</li>}
            {list.hasNext ? null : (
              <li class="history-entry">
                <div class="history-line">
                  <strong>Created</strong>
                  <span class="muted">v1</span>
                  <span class="history-time muted">
                    <ClockTime at={widget.createdAt} />
                  </span>
                </div>
              </li>
            )}
          </ol>
          <Pager {...list} onPage={read.goToPage} />
        </>
      )}
    </section>
  );
}

function describeExpired({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to
    ? `Version ${formatCount(from)} is past retention.`
    : `Versions ${formatCount(from)} to ${formatCount(to)} are past retention.`;
}

const pageSize = 25;

/** The payloads keep every digit. */
async function readHistory(
  id: string,
  query: { readonly page: number; readonly to?: string },
  signal: AbortSignal,
): Promise<DeliveryPage> {
  const text: string = await api.GET('/api/v1/widgets/{id}/deliveries', {
    params: { path: { id }, query: { ...query, pageSize } },
    parseAs: 'text',
    signal,
  });
  return parseExactJson(text) as DeliveryPage;
}

/** What each of these hooks changed, by event id, in the order in which they were applied. */
function compareVersions(deliveries: readonly Delivery[]): ReadonlyMap<string, readonly PayloadChange[]> {
  const applied = deliveries.filter(({ effect }) => effect !== null);
  applied.sort((one, other) => (one.effect?.version ?? 0) - (other.effect?.version ?? 0));
  const changes = listChanges(applied.map(({ payload }) => payload));
  return new Map(applied.map(({ eventId }, index) => [eventId, changes[index] ?? []]));
}
