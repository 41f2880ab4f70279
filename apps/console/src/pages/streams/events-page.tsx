import { Button } from '../../parts/button.tsx';
import { foldText } from '../../parts/fold-text.ts';
import { EmptyState, ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { texts } from '../../texts/texts.ts';
import { EventList, StreamStateBadge } from './event-list.tsx';
import { followWithSession } from './follow-stream.ts';
import { useEvents } from './use-events.ts';

const keptEvents = 500;

/** Every event of the service as it comes, with the session of the person. The address has the filter and the pause. */
export function EventsPage() {
  const { inspector } = texts.streams;
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
        title={inspector.title}
        // What is interrupted during a pause stays interrupted.
        aside={<StreamStateBadge state={isPaused && state.value === 'open' ? 'paused' : state.value} />}
      >
        <Button onClick={() => changeQuery({ paused: isPaused ? null : '1' })}>
          {isPaused ? inspector.resume : inspector.pause}
        </Button>
        <Button onClick={clear}>{inspector.clear}</Button>
      </PageHeader>
      <p class="intro">{inspector.intro(keptEvents)}</p>
      <ProblemNotice error={failure.value} />
      <search class="filters">
        <input
          class="input"
          type="search"
          data-shortcut="/"
          aria-label={inspector.filter}
          placeholder={inspector.filter}
          value={text}
          onInput={({ currentTarget }) => changeQuery({ search: currentTarget.value })}
        />
      </search>
      <p class="list-summary" role="status">
        {isPaused ? inspector.held(waiting.value) : ''}
      </p>
      {shown.length > 0 ? null : events.value.length > 0 ? (
        <EmptyState title={inspector.noMatchTitle} text={inspector.noMatch} />
      ) : isPaused ? (
        <EmptyState title={inspector.waitingTitle} text={inspector.waitingPaused} />
      ) : (
        <EmptyState title={inspector.waitingTitle} text={inspector.waiting} />
      )}
      <EventList events={shown} />
    </>
  );
}
