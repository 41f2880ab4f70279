import { useSignal } from '@preact/signals';
import { isWidgetEvent } from '@widget-service/client/stream/stream-event.ts';
import { useRef } from 'preact/hooks';
import { maskSecret } from '../../grants/describe-grant.ts';
import { rows } from '../../live/shared-widgets.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { widgetNames } from '../../parts/widget-name.tsx';
import { serviceRoot, toOwnAddress } from '../../service/page-settings.ts';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { describeFilter } from './describe-filter.ts';
import { EventList, StreamStateBadge } from './event-list.tsx';
import { followByUrl, followWithSession } from './follow-stream.ts';
import { eventPasses, widgetPasses } from './passes-filter.ts';
import { PasteUrl } from './paste-url.tsx';
import { useEvents } from './use-events.ts';

const keptEvents = 20;

interface LivePreviewProperties {
  readonly subscription: Schemas['Subscription'];
  /** The URL, while the page knows it. */
  readonly url: string | null;
}

/** The last events of a subscription: by its URL, or with the session of the person through the same filter. */
export function LivePreview({ subscription, url: knownUrl }: LivePreviewProperties) {
  const { preview } = texts.streams;
  const { id, filter } = subscription;
  // Only in memory.
  const url = useSignal(knownUrl === null ? null : toOwnAddress(knownUrl));
  const heading = useRef<HTMLHeadingElement>(null);
  const listen = (next: string | null) => {
    url.value = next;
    // What had the focus goes.
    heading.current?.focus();
  };
  const { events, state, opening, failure } = useEvents({
    follow: url.value === null ? followWithSession : followByUrl(url.value),
    streamKey: url.value ?? 'session',
    kept: keptEvents,
    passes: (event) => url.value !== null || !isWidgetEvent(event) || eventPasses(event, filter),
  });
  const isOther = url.value !== null && opening.value !== null && opening.value.subscriptionId !== id;
  return (
    <section class="section">
      <div class="section-header">
        <h2 ref={heading} tabIndex={-1}>
          {preview.title}
        </h2>
        <StreamStateBadge state={state.value} />
      </div>
      {url.value === null ? (
        <>
          <PasteUrl onListen={listen} />
          <p class="hint preview-source">{preview.bySession(describeFilter(filter, nameWidget))}</p>
        </>
      ) : (
        <div class="section-header">
          <p>
            {preview.byUrl} <code class="secret">{maskSecret(url.value)}</code>
          </p>
          <Button onClick={() => listen(null)}>{preview.useSession}</Button>
        </div>
      )}
      {isOther ? <p class="notice notice-warning">{preview.otherSubscription}</p> : null}
      {url.value === null ? (
        <ProblemNotice error={failure.value} />
      ) : failure.value === null ? null : (
        <p class="notice notice-error" role="alert">
          {failure.value === 'invalid' ? preview.invalid : preview.refused(serviceRoot.host)}
        </p>
      )}
      {events.value.length > 0 || failure.value !== null ? null : (
        <EmptyState title={preview.emptyTitle} text={preview.empty} />
      )}
      <EventList events={events.value} />
      <p class="hint">
        {preview.limit(keptEvents)}{' '}
        {texts.streams.matches(rows.value.filter((widget) => widgetPasses(widget, filter)).length, rows.value.length)}
      </p>
    </section>
  );
}

function nameWidget(id: string): string | null {
  return widgetNames.peek().get(id) ?? null;
}
