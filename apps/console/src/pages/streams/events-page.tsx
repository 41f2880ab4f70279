import { useSignal } from '@preact/signals';
import { isWidgetEvent, type StreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { Badge, type Tone } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/facts.tsx';
import { SearchField } from '../../parts/fields.tsx';
import { formatAbsolute, formatCount, formatExactTime } from '../../parts/format.ts';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { foldText, lookUp } from '../../parts/text.ts';
import { changeQuery, query } from '../../router/router.tsx';
import { eventTypes } from './filter-values.ts';
import { followWithSession, type SeenEvent, type StreamStateName, useEvents } from './follow-stream.ts';

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
        // What is interrupted during a pause stays interrupted.
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
      <p class="list-summary" role="status">
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
export function StreamStateBadge({ state }: { readonly state: StreamStateName | 'paused' }) {
  const [tone, text] = states[state];
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

/** Events, newest first. */
export function EventList({ events }: { readonly events: readonly SeenEvent[] }) {
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
          <span class="event-origin">{isWidgetEvent(event) ? lookUp(origins, event.data.origin) : ''}</span>
          <time class="event-time" dateTime={new Date(seenAtMs).toISOString()} title={formatAbsolute(seenAtMs)}>
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
