import { useSignal } from '@preact/signals';
import { isWidgetEvent, type StreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { Badge, type Tone } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/facts.tsx';
import { lookUp } from '../../parts/look-up.ts';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';
import { keptEvents, type SeenEvent, useEvents } from './use-events.ts';

const tones: Readonly<Record<string, Tone>> = {
  'widget.created': 'good',
  'widget.updated': 'info',
  'widget.retired': 'quiet',
  'stream.gap': 'bad',
};

const stateTones = {
  connecting: 'warning',
  open: 'good',
  silent: 'warning',
  waiting: 'warning',
  ended: 'bad',
  paused: 'quiet',
} as const;

/** Every event of the service as it comes, with the session of the person. */
export function EventsPage() {
  const { inspector } = texts.streams;
  const { events, waiting, state, error, isPaused, clear } = useEvents();
  const search = useSignal('');
  const wanted = search.value.toLowerCase();
  // What is interrupted during a pause stays interrupted.
  const shownState = isPaused.value && state.value === 'open' ? 'paused' : state.value;
  const shown = events.value.filter(({ json }) => json.toLowerCase().includes(wanted));
  return (
    <>
      <PageHeader
        title={inspector.title}
        parents={[[texts.streams.title, '/streams']]}
        aside={
          <span role="status">
            <Badge tone={stateTones[shownState]}>{inspector.states[shownState]}</Badge>
          </span>
        }
      >
        <Button onClick={() => (isPaused.value = !isPaused.value)} aria-pressed={isPaused.value}>
          {isPaused.value ? inspector.resume : inspector.pause}
        </Button>
        <Button onClick={clear}>{inspector.clear}</Button>
      </PageHeader>
      <p class="intro">
        {inspector.intro} {inspector.limit(keptEvents)}
      </p>
      <ProblemNotice error={error.value} />
      <search class="filters">
        <input
          class="input"
          type="search"
          data-shortcut="/"
          aria-label={inspector.filter}
          placeholder={inspector.filter}
          value={search.value}
          onInput={({ currentTarget }) => (search.value = currentTarget.value)}
        />
      </search>
      <p class="list-summary" role="status">
        {isPaused.value ? inspector.held(waiting.value) : ''}
      </p>
      {shown.length > 0 ? null : events.value.length === 0 ? (
        <EmptyState title={inspector.waitingTitle} text={inspector.waiting} />
      ) : (
        <EmptyState title={inspector.noMatchTitle} text={inspector.noMatch} />
      )}
      <ol class="event-list" aria-label={inspector.list}>
        {shown.map((seen) => (
          <EventItem key={seen.key} seen={seen} />
        ))}
      </ol>
    </>
  );
}

/**
 * One line. Opened, it shows the event as the stream has sent it. The JSON of hundreds of closed lines would be slow.
 */
function EventItem({ seen: { event, json, seenAt } }: { readonly seen: SeenEvent }) {
  const isOpen = useSignal(false);
  return (
    <li>
      <details class="event" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary data-row>
          <Badge tone={lookUp(tones, event.type) ?? 'quiet'}>{nameEvent(event)}</Badge>
          <strong dir="auto">{isWidgetEvent(event) ? (event.data.widget?.name ?? '') : ''}</strong>
          <span class="muted">{isWidgetEvent(event) ? event.data.origin : ''}</span>
          <span class="muted event-time">
            <Time at={seenAt} />
          </span>
        </summary>
        {isOpen.value ? <Code>{json}</Code> : null}
      </details>
    </li>
  );
}

function nameEvent(event: StreamEvent): string {
  if (isWidgetEvent(event)) return lookUp(texts.streams.typeNames, event.type) ?? event.type;
  return event.type === 'stream.gap' ? texts.streams.inspector.gap : event.type;
}
