import { useEffect } from 'preact/hooks';
import { Badge, DeliveryState } from '../../parts/badges.tsx';
import { lookUp } from '../../parts/look-up.ts';
import { Pager, usePages } from '../../parts/paged-list.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { FullTime } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { findExpiredHooks } from './expired-hooks.ts';

type Delivery = Schemas['Delivery'];

interface WidgetHistoryProperties {
  readonly widget: { readonly id: string; readonly version: number; readonly createdAt: string };
}

/** What happened to a widget, newest first: the hooks that name it, and at the end its creation. */
export function WidgetHistory({ widget }: WidgetHistoryProperties) {
  const { history } = texts.widgets;
  const read = usePages(
    ({ page, asOf }, signal) => {
      const filter = { page, pageSize: 25, ...(asOf === null ? {} : { to: asOf }) };
      const params = { path: { id: widget.id }, query: filter };
      return api.GET('/api/v1/widgets/{id}/deliveries', { params, signal });
    },
    [widget.id],
    { refreshMs: 5_000, timeOf: ({ receivedAt }) => receivedAt },
  );
  // The stream tells of a change earlier than the next refresh.
  useEffect(() => void read.reload(), [widget.version]);
  const list = read.data.value;
  const expired = list === null || list.hasNext ? null : findExpiredHooks(list, widget.version);
  return (
    <section class="section">
      <h2>{history.title}</h2>
      <ReadState read={read} />
      {list === null ? null : (
        <>
          <ol class="history" aria-label={history.title}>
            {list.items.map((delivery) => (
              <HistoryEntry key={delivery.eventId} delivery={delivery} />
            ))}
            {expired === null ? null : (
              <li class="history-entry history-expired muted">{history.expired(expired.from, expired.to)}</li>
            )}
            {list.hasNext ? null : (
              <li class="history-entry">
                <span class="history-title">
                  <strong>{history.created}</strong> <span class="muted">{history.version(1)}</span>
                </span>
                <FullTime at={widget.createdAt} />
              </li>
            )}
          </ol>
          <Pager {...list} onPage={read.goToPage} />
        </>
      )}
    </section>
  );
}

function HistoryEntry({ delivery }: { readonly delivery: Delivery }) {
  const { history } = texts.widgets;
  const { eventId, integrationId, integrationName, kind, state, effect } = delivery;
  return (
    <li class="history-entry">
      <span class="history-title">
        {/* A dead letter may have any text as its kind. */}
        <strong>{lookUp(texts.hooks.kinds, kind) ?? kind}</strong>
        {effect === null ? null : <span class="muted">{history.version(effect.version)}</span>}
        {effect?.stateChanged ? <Badge tone="info">{history.becomes[effect.state]}</Badge> : null}
        {effect?.late ? <Badge tone="warning">{history.late}</Badge> : null}
        {state === 'published' ? null : <DeliveryState state={state} />}
      </span>
      <span>
        <FullTime at={delivery.occurredAt} />
      </span>
      <span class="muted">
        {history.by(integrationName ?? integrationId)}
        {may('integrations:manage') ? (
          <>
            {' · '}
            <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>{history.showHook}</Link>
          </>
        ) : null}
      </span>
    </li>
  );
}
