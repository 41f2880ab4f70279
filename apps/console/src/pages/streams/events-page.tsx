import { Button } from '../../parts/button.tsx';
import { foldText } from '../../parts/fold-text.ts';
import { formatCount } from '../../parts/format.ts';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { EventList, StreamStateBadge } from './event-list.tsx';
import { followWithSession } from './follow-stream.ts';
import { useEvents } from './use-events.ts';

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
        <input
          class="input"
          type="search"
          data-shortcut="/"
          aria-label="Filter events"
          placeholder="Filter events"
          value={text}
          onInput={({ currentTarget }) => changeQuery({ search: currentTarget.value })}
        />
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
