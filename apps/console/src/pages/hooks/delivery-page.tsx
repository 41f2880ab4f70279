import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { Code } from '../../parts/code.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { FullTime } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import type { Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { DeadDeliveryButtons } from './dead-delivery-buttons.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { readDelivery } from './read-delivery.ts';
import { useRedrive } from './use-redrive.ts';

/** One accepted hook: what it was, what became of it, and its payload. */
export function DeliveryPage({ id = '', eventId = '' }: RouteParameters) {
  const { hooks, general } = texts;
  const read = useResource((signal) => readDelivery(id, eventId, signal), [id, eventId], { refreshMs: 3_000 });
  const redrive = useRedrive(id, read.reload);
  const delivery = read.data.value;
  return (
    <>
      <nav class="breadcrumb">
        <Link to="/hooks">{hooks.title}</Link> / <Link to={`/hooks/${id}`}>{hooks.deliveries}</Link>
      </nav>
      <PageHeader
        title={`${hooks.event} ${eventId}`}
        aside={delivery === null ? null : <DeliveryState state={delivery.state} />}
      >
        {delivery?.state === 'dead' ? (
          <DeadDeliveryButtons
            integrationId={id}
            eventIds={[eventId]}
            redrive={redrive}
            labels={hooks}
            onDiscarded={read.reload}
          />
        ) : null}
      </PageHeader>
      <ProblemNotice error={read.error.value ?? redrive.error.value} onRetry={read.reload} />
      {delivery === null ? null : (
        <>
          {delivery.state === 'discarded' ? <p class="notice">{hooks.discardedNotice}</p> : null}
          {delivery.reason === null ? null : <p class="notice notice-error">{hooks.reasons[delivery.reason]}</p>}
          <Facts
            facts={[
              [hooks.kind, delivery.kind],
              [hooks.widget, <WidgetLink key="widget" id={delivery.widgetId} />],
              [hooks.occurredAt, <FullTime key="occurred" at={delivery.occurredAt} />],
              [hooks.receivedAt, <FullTime key="received" at={delivery.receivedAt} />],
              [hooks.publishedAt, <FullTime key="published" at={delivery.publishedAt} />],
              [hooks.effect, describeEffect(delivery.effect)],
              [hooks.position, delivery.position ?? general.none],
              [hooks.attempts, String(delivery.attempts)],
              [hooks.duplicates, String(delivery.duplicates)],
            ]}
          />
          {delivery.state === 'discarded' ? null : (
            <section class="section">
              <h2>{hooks.payload}</h2>
              <Code>{formatExactJson(delivery.payload, 2)}</Code>
            </section>
          )}
          {delivery.state === 'published' ? (
            <section class="section">
              <h2>{hooks.publishedEvent}</h2>
              {delivery.event === null ? (
                <p class="muted">{hooks.eventGone}</p>
              ) : (
                <Code>{formatExactJson(delivery.event, 2)}</Code>
              )}
            </section>
          ) : null}
        </>
      )}
    </>
  );
}

function describeEffect(effect: Schemas['Delivery']['effect']): string {
  if (effect === null) return texts.hooks.noEffect;
  const { version, late, becomes } = texts.widgets.history;
  const parts = [
    version(effect.version),
    effect.stateChanged ? becomes[effect.state] : null,
    effect.late ? late : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function WidgetLink({ id }: { readonly id: string | null }) {
  return id === null ? <span>{texts.general.none}</span> : <Link to={`/widgets/${id}`}>{id}</Link>;
}
