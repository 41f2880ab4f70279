import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { DeliveryState } from '../../parts/badges.tsx';
import { CopyButton } from '../../parts/button.tsx';
import { Code, CopiedId, WithFacts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { ReadState } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { FullTime } from '../../parts/time.tsx';
import { nameWidget, WidgetLink } from '../../parts/widget-name.tsx';
import type { RouteParameters } from '../../router/router.tsx';
import type { Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { DeadDeliveryButtons, deadReasons, eventGone, readDelivery, useRedrive } from './delivery.tsx';

/** One accepted hook: what it was, what became of it, and its payload. */
export function DeliveryPage({ id = '', eventId = '' }: RouteParameters) {
  const read = useResource((signal) => readDelivery(id, eventId, signal), [id, eventId], { refreshMs: 3_000 });
  const delivery = read.data.value;
  const redrive = useRedrive(() => [read.data.value ?? []].flat(), read.reload);
  const isDead = delivery?.state === 'dead';
  return (
    <>
      <PageHeader
        title={delivery === null ? 'Delivery' : nameDelivery(delivery)}
        parents={[
          ['Integrations', '/hooks'],
          [delivery?.integrationName ?? 'Hooks', `/hooks/${id}`],
        ]}
        aside={delivery === null ? null : <DeliveryState state={delivery.state} />}
      >
        {isDead ? (
          <DeadDeliveryButtons integrationId={id} eventIds={[eventId]} redrive={redrive} onDone={read.reload} />
        ) : null}
      </PageHeader>
      <ReadState read={read} error={redrive.error.value} />
      {isDead ? redrive.notice : null}
      {delivery === null ? null : <DeliveryDetails delivery={delivery} />}
    </>
  );
}

function DeliveryDetails({ delivery }: { readonly delivery: Schemas['DeliveryWithPayload'] }) {
  const { eventId, state, reason, event } = delivery;
  return (
    <>
      {state === 'discarded' ? (
        <p class="notice">Discarded: the payload was erased for good. The audit log says who did it.</p>
      ) : null}
      {reason === null ? null : <p class="notice notice-error">{deadReasons[reason]}</p>}
      <WithFacts
        facts={[
          ['Event id', <CopiedId key="event" id={eventId} label="Copy event id" />],
          ['Kind', delivery.kind],
          ['Widget', <WidgetLink key="widget" id={delivery.widgetId} />],
          ['Occurred', <FullTime key="occurred" at={delivery.occurredAt} />],
          ['Received', <FullTime key="received" at={delivery.receivedAt} />],
          ['Published', <FullTime key="published" at={delivery.publishedAt} />],
          ['Effect on the widget', describeEffect(delivery.effect)],
          ['Position', delivery.position ?? 'none'],
          ['Attempts', formatCount(delivery.attempts)],
          ['Duplicates', formatCount(delivery.duplicates)],
        ]}
      >
        {state === 'discarded' ? null : (
          <CodeSection title="Payload" code={formatExactJson(delivery.payload, 2)} copyLabel="Copy payload" />
        )}
        {state === 'published' ? (
          <CodeSection
            title="Event, as streams send it"
            code={event === null ? null : formatExactJson(event, 2)}
            copyLabel="Copy event"
          />
        ) : null}
      </WithFacts>
    </>
  );
}

/** `code`: null if there is none any more. */
function CodeSection({
  title,
  code,
  copyLabel,
}: {
  readonly title: string;
  readonly code: string | null;
  readonly copyLabel: string;
}) {
  return (
    <section class="section">
      <div class="section-header">
        <h2>{title}</h2>
        {code === null ? null : <CopyButton text={code} label={copyLabel} />}
      </div>
      {code === null ? <p class="muted">{eventGone}</p> : <Code>{code}</Code>}
    </section>
  );
}

/** By the name of its widget, which is what people know. */
function nameDelivery({ widgetId, kind }: Schemas['Delivery']): string {
  return `${widgetId === null ? 'No widget' : (nameWidget(widgetId) ?? widgetId)} · ${kind}`;
}

function describeEffect(effect: Schemas['Delivery']['effect']): string {
  if (effect === null) return 'No change to the widget (yet)';
  const { version, state, stateChanged, late } = effect;
  return [
    `version ${formatCount(version)}`,
    ...(stateChanged ? [`became ${state}`] : []),
    ...(late ? ['arrived late'] : []),
  ].join(', ');
}
