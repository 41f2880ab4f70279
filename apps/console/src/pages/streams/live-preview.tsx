import { useSignal } from '@preact/signals';
import { isWidgetEvent } from '@widget-service/client/stream/stream-event.ts';
import { useRef } from 'preact/hooks';
import { maskSecret } from '../../grants/describe-grant.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields.tsx';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { nameWidget } from '../../parts/widget-name.tsx';
import { type Schemas, serviceRoot, toOwnAddress } from '../../service/service.ts';
import { EventList, StreamStateBadge } from './events-page.tsx';
import { describeFilter } from './filter-values.ts';
import { followByUrl, followWithSession, useEvents } from './follow-stream.ts';
import { eventPasses } from './stream-events.ts';
import { readStreamUrl } from './stream-url.ts';

const keptEvents = 20;

interface LivePreviewProperties {
  readonly subscription: Schemas['Subscription'];
  /** The URL, while the page knows it. */
  readonly url: string | null;
}

/** The last events of a subscription: by its URL, or with the session of the person through the same filter. */
export function LivePreview({ subscription, url: knownUrl }: LivePreviewProperties) {
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
          Live preview
        </h2>
        <StreamStateBadge state={state.value} />
      </div>
      {url.value === null ? (
        <>
          <PasteUrl onListen={listen} />
          <p class="hint preview-source">
            Until you paste the URL, you see what it would send, read with your session.{' '}
            {describeFilter(filter, nameWidget)}
          </p>
        </>
      ) : (
        <div class="section-header">
          <p>
            By the URL <code class="secret">{maskSecret(url.value)}</code>
          </p>
          <Button onClick={() => listen(null)}>Use my session</Button>
        </div>
      )}
      {isOther ? <p class="notice notice-warning">This is the URL of another subscription.</p> : null}
      {url.value === null ? (
        <ProblemNotice error={failure.value} />
      ) : failure.value === null ? null : (
        <p class="notice notice-error" role="alert">
          {failure.value === 'invalid'
            ? 'The service does not know this URL. It was revoked or rotated, or has expired.'
            : `The browser closed the stream without saying why. Usually, a proxy in front of ${serviceRoot.host} answered instead of the service.`}
        </p>
      )}
      {events.value.length > 0 || failure.value !== null ? null : (
        <EmptyState title="No events yet" text="The next event appears here. Create a widget, or send a hook." />
      )}
      <EventList events={events.value} />
      <p class="hint">This page keeps the last {keptEvents} events.</p>
    </section>
  );
}

/** Asks for the secret URL of a stream. It is kept nowhere. */
function PasteUrl({ onListen }: { readonly onListen: (url: string) => void }) {
  const text = useSignal('');
  /** What the person has asked to listen to. */
  const asked = useSignal<string | null>(null);
  const pasted = asked.value === text.value ? readStreamUrl(text.value, serviceRoot.origin) : null;
  return (
    <form
      method="post"
      class="paste-url"
      onSubmit={(event) => {
        event.preventDefault();
        asked.value = text.value;
        const read = readStreamUrl(text.value, serviceRoot.origin);
        if (read.kind === 'own') onListen(read.url);
      }}
    >
      <TextField
        of={text}
        label="Stream URL (secret)"
        hint="Paste it to see what a program gets. It is kept only until you leave this page."
        autoComplete="off"
        required
        isWrong={pasted !== null}
      >
        <Button type="submit">Listen</Button>
      </TextField>
      <div role="alert">
        {pasted?.kind === 'wrong' ? (
          <p class="field-mistake">This is not the URL of a stream. It ends with /api/v1/events/ and a token.</p>
        ) : null}
        {pasted?.kind === 'other' ? (
          <div class="notice notice-error">
            <p>
              The browser lets this page connect to {serviceRoot.host} only, and the URL leads to {pasted.host}. If both
              lead to this service, listen through {serviceRoot.host}. Otherwise use the sample code.
            </p>
            <Button onClick={() => onListen(toOwnAddress(pasted.url))}>Listen through {serviceRoot.host}</Button>
          </div>
        ) : null}
      </div>
    </form>
  );
}
