import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { DeliveryState } from '../../parts/badges.tsx';
import { Code, WithFacts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { FullTime } from '../../parts/time.tsx';
import { WidgetLink } from '../../parts/widget-name.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { DeadDeliveryButtons, RedriveFailure, useRedrive } from './dead-deliveries.tsx';

/** One accepted hook: what it was, what became of it, and its payload. */
export function DeliveryPage({ id = '', eventId = '' }: RouteParameters) {
  const { hooks, general } = texts;
  const read = useResource((signal) => readDelivery(id, eventId, signal), [id, eventId], { refreshMs: 3_000 });
  const redrive = useRedrive(id, read.reload);
  const delivery = read.data.value;
  return (
    <>
      <PageHeader
        title={`${hooks.event} ${eventId}`}
        parents={[
          [hooks.title, '/hooks'],
          [delivery?.integrationName ?? hooks.deliveries, `/hooks/${id}`],
        ]}
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
      <ReadState read={read} error={redrive.error.value} />
      {delivery?.state === 'dead' ? <RedriveFailure redrive={redrive} /> : null}
      {delivery === null ? null : (
        <>
          {delivery.state === 'discarded' ? <p class="notice">{hooks.discardedNotice}</p> : null}
          {delivery.reason === null ? null : <p class="notice notice-error">{hooks.reasons[delivery.reason]}</p>}
          <WithFacts
            facts={[
              [hooks.kind, delivery.kind],
              [hooks.widget, <WidgetLink key="widget" id={delivery.widgetId} />],
              [hooks.occurredAt, <FullTime key="occurred" at={delivery.occurredAt} />],
              [hooks.receivedAt, <FullTime key="received" at={delivery.receivedAt} />],
              [hooks.publishedAt, <FullTime key="published" at={delivery.publishedAt} />],
              [hooks.effect, describeEffect(delivery.effect)],
              [hooks.position, delivery.position ?? general.none],
              [hooks.attempts, formatCount(delivery.attempts)],
              [hooks.duplicates, formatCount(delivery.duplicates)],
            ]}
          >
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
          </WithFacts>
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

/** Its payload and its event keep every digit, so `formatExactJson` must write them. */
export async function readDelivery(
  id: string,
  eventId: string,
  signal: AbortSignal,
): Promise<Schemas['DeliveryWithPayload']> {
  const text: string = await api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', {
    params: { path: { id, eventId } },
    parseAs: 'text',
    signal,
  });
  return parseExactJson(text) as Schemas['DeliveryWithPayload'];
}
