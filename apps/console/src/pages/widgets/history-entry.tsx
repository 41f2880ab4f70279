import { useSignal } from '@preact/signals';
import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { Badge, DeliveryState } from '../../parts/badges.tsx';
import { Code } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { lookUp } from '../../parts/look-up.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { ClockTime, FullTime } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { may } from '../../session/session.ts';
import { eventGone, readDelivery } from '../hooks/delivery.tsx';
import { type PayloadChange, shortenValue } from './payload-changes.ts';

type Delivery = Schemas['DeliveryOfWidget'];

const hookKinds = { created: 'Created', updated: 'Updated', retired: 'Retired' };

interface HistoryEntryProperties {
  readonly delivery: Delivery;
  /** Null: it has changed nothing, or not yet. */
  readonly changes: readonly PayloadChange[] | null;
}

/** One hook in one line. Opened, it shows its payload and the event that streams send. */
export function HistoryEntry({ delivery, changes }: HistoryEntryProperties) {
  const isOpen = useSignal(false);
  const { kind, state, effect, integrationId, integrationName, payload } = delivery;
  return (
    <li class="history-entry">
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary class="history-line">
          {/* A dead letter may have any text as its kind. */}
          <strong>{lookUp(hookKinds, kind) ?? kind}</strong>
          {effect === null ? null : <span class="muted">v{formatCount(effect.version)}</span>}
          {kind === 'retired' && effect?.stateChanged === false ? <span class="muted">was already retired</span> : null}
          {effect?.late ? <Badge tone="warning">arrived late</Badge> : null}
          {state === 'published' ? null : <DeliveryState state={state} />}
          <span class="history-changes">
            {changes === null || payload === null ? null : <Changes changes={changes} />}
          </span>
          <span class="history-source muted" dir="auto">
            {integrationName ?? integrationId}
          </span>
          <span class="history-time muted">
            <ClockTime at={delivery.occurredAt} />
          </span>
        </summary>
        {isOpen.value ? <EntryDetails delivery={delivery} /> : null}
      </details>
    </li>
  );
}

/** More values than these do not fit into a line. */
const mostChanges = 4;

function Changes({ changes }: { readonly changes: readonly PayloadChange[] }) {
  if (changes.length === 0) return <span class="muted">no values changed</span>;
  return (
    <>
      {changes.slice(0, mostChanges).map(({ path, before, after }, index) => (
        <span key={path}>
          {index === 0 ? '' : ', '}
          <bdi class="muted">{shortenValue(path)}</bdi>{' '}
          {before === null ? null : (
            <>
              <bdi>{shortenValue(before)}</bdi>
              {' → '}
            </>
          )}
          <bdi>{shortenValue(after)}</bdi>
        </span>
      ))}
      {changes.length > mostChanges ? (
        <span class="muted">, {formatCount(changes.length - mostChanges)} more</span>
      ) : null}
    </>
  );
}

function EntryDetails({ delivery }: { readonly delivery: Delivery }) {
  const { integrationId, eventId, payload, occurredAt, receivedAt, state } = delivery;
  return (
    <div class="history-details">
      <p class="muted small">
        Occurred: <FullTime at={occurredAt} /> · Received: <FullTime at={receivedAt} />
        {may('integrations:manage') ? (
          <>
            {' · '}
            <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>View hook</Link>
          </>
        ) : null}
      </p>
      <h3 class="code-title">Payload</h3>
      {payload === null ? (
        <p class="muted">None, or too long to list here.</p>
      ) : (
        <Code>{formatExactJson(payload, 2)}</Code>
      )}
      {state === 'published' && may('integrations:manage') ? <PublishedEvent delivery={delivery} /> : null}
    </div>
  );
}

function PublishedEvent({ delivery: { integrationId, eventId } }: { readonly delivery: Delivery }) {
  const read = useResource((signal) => readDelivery(integrationId, eventId, signal), [eventId]);
  const event = read.data.value?.event;
  return (
    <>
      <h3 class="code-title">Event, as streams send it</h3>
      <ReadState read={read} />
      {event === null ? <p class="muted">{eventGone}</p> : null}
      {event === null || event === undefined ? null : <Code>{formatExactJson(event, 2)}</Code>}
    </>
  );
}
