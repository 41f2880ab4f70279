import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { DeliveryState } from '../../parts/badges.tsx';
import { CopyButton } from '../../parts/button.tsx';
import { Code, WithFacts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { FullTime } from '../../parts/time.tsx';
import { WidgetLink, widgetNames } from '../../parts/widget-name.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import type { Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { DeadDeliveryButtons, RedriveFailure, useRedrive } from './dead-deliveries.tsx';
import { readDelivery } from './read-delivery.ts';

/** One accepted hook: what it was, what became of it, and its payload. */
export function DeliveryPage({ id = '', eventId = '' }: RouteParameters) {
  const { hooks, general } = texts;
  const read = useResource((signal) => readDelivery(id, eventId, signal), [id, eventId], { refreshMs: 3_000 });
  const redrive = useRedrive(id, read.reload);
  const delivery = read.data.value;
  return (
    <>
      <PageHeader
        title={delivery === null ? hooks.delivery : nameDelivery(delivery)}
        parents={[
          [hooks.title, '/hooks'],
          [delivery?.integrationName ?? hooks.list, `/hooks/${id}`],
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
              [
                hooks.eventId,
                <span key="event" class="with-button">
                  <code class="selectable">{eventId}</code>
                  <CopyButton text={eventId} label={hooks.copyEventId} />
                </span>,
              ],
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
              <CodeSection
                title={hooks.payload}
                code={formatExactJson(delivery.payload, 2)}
                copyLabel={hooks.copyPayload}
              />
            )}
            {delivery.state === 'published' ? (
              <CodeSection
                title={hooks.publishedEvent}
                code={delivery.event === null ? null : formatExactJson(delivery.event, 2)}
                copyLabel={hooks.copyEvent}
              />
            ) : null}
          </WithFacts>
        </>
      )}
    </>
  );
}

interface CodeSectionProperties {
  readonly title: string;
  /** Null: there is none any more. */
  readonly code: string | null;
  readonly copyLabel: string;
}

function CodeSection({ title, code, copyLabel }: CodeSectionProperties) {
  return (
    <section class="section">
      <div class="section-header">
        <h2>{title}</h2>
        {code === null ? null : <CopyButton text={code} label={copyLabel} />}
      </div>
      {code === null ? <p class="muted">{texts.hooks.eventGone}</p> : <Code>{code}</Code>}
    </section>
  );
}

/** By the name of its widget, which is what people know. */
function nameDelivery({ widgetId, kind }: Schemas['Delivery']): string {
  const { hooks } = texts;
  const widget = widgetId === null ? hooks.noWidget : (widgetNames.value.get(widgetId) ?? widgetId);
  return hooks.nameDelivery(widget, kind);
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
