import { useSignal } from '@preact/signals';
import { isWidgetEvent, type StreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { useRef } from 'preact/hooks';
import { maskSecret } from '../../grants/describe-grant.ts';
import { Badge, type Tone } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/facts.tsx';
import { SearchField, TextField } from '../../parts/fields.tsx';
import { formatAbsolute, formatCount, formatExactTime } from '../../parts/format.ts';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { foldText, lookUp } from '../../parts/text.ts';
import { nameWidget } from '../../parts/widget-name.tsx';
import { changeQuery, query } from '../../router/router.tsx';
import { type Schemas, serviceRoot, toOwnAddress } from '../../service/service.ts';
import { describeFilter, eventTypes } from './filter-values.ts';
import { followByUrl, followWithSession, type SeenEvent, type StreamStateName, useEvents } from './follow-stream.ts';
import { eventPasses, readStreamUrl } from './stream-events.ts';

const keptEvents = 500;

/** Every event of the service as it comes, with the session of the person. The address has the filter and the pause. */
export function EventsPage() {
  const isPaused = query.value.has('paused');
  const text = query.value.get('search') ?? '';
  const { events, waiting, state, failure, clear } = useEvents({
    follow: followWithSession,
    streamKey: 'session',
    kept: keptEvents,
    isPaused,
  });
  const sought = foldText(text);
  const shown = events.value.filter(({ json }) => foldText(json).includes(sought));
  return (
    <>
      <PageHeader
        title="Events"
        // A pause does not hide that the stream is interrupted.
        aside={<StreamStateBadge state={isPaused && state.value === 'open' ? 'paused' : state.value} />}
      >
        <Button onClick={() => changeQuery({ paused: isPaused ? null : '1' })}>{isPaused ? 'Resume' : 'Pause'}</Button>
        <Button onClick={clear}>Clear</Button>
      </PageHeader>
      <p class="intro">Live events from now on. This page keeps the last {keptEvents}.</p>
      <ProblemNotice error={failure.value} />
      <search class="filters">
        <SearchField label="Filter events" />
      </search>
      <p class="list-summary muted small" role="status">
        {isPaused ? `${formatCount(waiting.value)} new while paused` : ''}
      </p>
      {shown.length > 0 ? null : events.value.length > 0 ? (
        <EmptyState title="No events match" text="Change the filter. Events that match appear here as they arrive." />
      ) : isPaused ? (
        <EmptyState title="No events yet" text="Resume to see new events." />
      ) : (
        <EmptyState title="No events yet" text="The next event appears here. Create a widget, or send a hook." />
      )}
      <EventList events={shown} />
    </>
  );
}

const tones: Readonly<Record<string, Tone>> = {
  'widget.created': 'good',
  'widget.updated': 'info',
  'widget.retired': 'quiet',
  'stream.gap': 'bad',
};

const states = {
  connecting: ['warning', 'Connecting'],
  open: ['good', 'Live'],
  silent: ['warning', 'The service is silent'],
  waiting: ['warning', 'Interrupted, reconnecting'],
  ended: ['bad', 'Ended'],
  paused: ['quiet', 'Paused'],
} as const;

const origins = { api: 'over the API', hook: 'by a hook' };

/** Says what a stream does now. */
function StreamStateBadge({ state }: { readonly state: StreamStateName | 'paused' }) {
  const [tone, text] = states[state];
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

/** Events, newest first. */
function EventList({ events }: { readonly events: readonly SeenEvent[] }) {
  return (
    <ol class="event-list" aria-label="Events, newest first">
      {events.map((seen) => (
        <EventItem key={seen.key} seen={seen} />
      ))}
    </ol>
  );
}

/**
 * One line. Opened, it shows the event as the stream has sent it. The JSON of hundreds of closed lines would be slow.
 */
function EventItem({ seen: { event, json, seenAtMs } }: { readonly seen: SeenEvent }) {
  const isOpen = useSignal(false);
  return (
    <li>
      <details class="event" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <Badge tone={lookUp(tones, event.type) ?? 'quiet'}>{nameEvent(event)}</Badge>
          <strong dir="auto">{isWidgetEvent(event) ? (event.data.widget?.name ?? '') : ''}</strong>
          <span class="event-origin muted small">{isWidgetEvent(event) ? lookUp(origins, event.data.origin) : ''}</span>
          <time
            class="event-time muted small"
            dateTime={new Date(seenAtMs).toISOString()}
            title={formatAbsolute(seenAtMs)}
          >
            {formatExactTime(seenAtMs)}
          </time>
        </summary>
        {isOpen.value ? <Code>{json}</Code> : null}
      </details>
    </li>
  );
}

function nameEvent(event: StreamEvent): string {
  if (isWidgetEvent(event)) return lookUp(eventTypes, event.type) ?? event.type;
  return event.type === 'stream.gap' ? 'Events are missing here' : event.type;
}

const keptByPreview = 20;

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
    // The element that had the focus disappears.
    heading.current?.focus();
  };
  const { events, state, opening, failure } = useEvents({
    follow: url.value === null ? followWithSession : followByUrl(url.value),
    streamKey: url.value ?? 'session',
    kept: keptByPreview,
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
      <p class="hint">This page keeps the last {keptByPreview} events.</p>
    </section>
  );
}

/** Asks for the secret URL of a stream. It is not stored. */
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
