import { useSignal } from '@preact/signals';
import { isWidgetEvent, type StreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { Badge, type Tone } from '../../parts/badges.tsx';
import { Code } from '../../parts/facts.tsx';
import { formatAbsolute, formatExactTime } from '../../parts/format.ts';
import { lookUp } from '../../parts/look-up.ts';
import { eventTypes } from './filter-values.ts';
import type { StreamStateName } from './follow-stream.ts';
import type { SeenEvent } from './use-events.ts';

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
