import type { LiveWidgetsState } from '@widget-service/client/live/live-widgets.ts';

/** Longer than the service lets a client wait after it has closed a stream in an orderly way. */
const graceMs = 6_000;

interface CalmState {
  /** Follows the state of the collection. */
  readonly follow: (state: LiveWidgetsState) => void;
  /** Told why the stream was interrupted. Null: the service has closed it in an orderly way. */
  readonly noteInterruption: (error: unknown) => void;
  readonly close: () => void;
}

/**
 * Passes states on to `show`, without those that last only for a moment. The service closes each stream from time to
 * time, and one that shuts down closes several in a row: the state stays `live` if the next stream is open within 6 s.
 * A stream that breaks is `stale` at once.
 */
export function createCalmState(show: (state: LiveWidgetsState) => void): CalmState {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: LiveWidgetsState = 'loading';
  let isOrderly = false;
  const showLatest = () => {
    clearTimeout(timer);
    timer = undefined;
    show(latest);
  };
  return {
    follow: (state) => {
      const wasLive = latest === 'live';
      latest = state;
      if (state === 'live') isOrderly = false;
      if (state !== 'stale' || !isOrderly) showLatest();
      else if (wasLive && timer === undefined) timer = setTimeout(showLatest, graceMs);
    },
    noteInterruption: (error) => {
      isOrderly = error === null;
      if (!isOrderly && timer !== undefined) showLatest();
    },
    close: () => clearTimeout(timer),
  };
}
