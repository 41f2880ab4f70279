import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { StreamState } from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent, type Position, type WidgetStreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveState } from '../../parts/badges.tsx';
import { type Schemas, service } from '../../service/service.ts';
import { loadSession } from '../../session/session.ts';

type Widget = Schemas['Widget'];
type ChangedWidget = NonNullable<WidgetStreamEvent['data']['widget']>;

/** What has changed since an answer of the service was read. */
export interface WidgetChanges {
  readonly state: ReadonlySignal<LiveState>;
  /** How many widgets were created since, of those that the page is about. */
  readonly created: number;
  /** The row as it is now. */
  readonly renew: (row: Widget) => Widget;
}

/** The shortest pause between two renewals of a page, in milliseconds, however many events arrive. */
const renewMs = 200;
/** After this many changed widgets the page is read again, so that it does not become a copy of all widgets. */
const mostChanges = 10_000;
/**
 * A tab that is hidden for longer closes its stream: without HTTP/2 a browser opens only six connections to a server,
 * so six hidden tabs would hold up the seventh.
 */
const hiddenPauseMs = 60_000;

/**
 * Follows all events from an answer of the service on, while the component is there.
 *
 * @param cursor The position of the stream in the answer. Null: the service did not know it. Undefined: no answer yet.
 * @param reload Reads the answer again: events are missing.
 * @param isNew Whether a widget that was created counts.
 */
export function useWidgetChanges(
  cursor: Position | null | undefined,
  reload: () => Promise<void>,
  isNew: (widget: ChangedWidget) => boolean = () => false,
): WidgetChanges {
  const state = useSignal<LiveState>('loading');
  const renewals = useSignal(0);
  const changed = useRef(new Map<string, ChangedWidget>());
  const created = useRef(new Map<string, ChangedWidget>());
  const latestReload = useRef(reload);
  latestReload.current = reload;
  const position = useRef<Position | null>(null);
  const isHidden = useLongHidden();

  useEffect(() => {
    position.current = cursor ?? null;
    created.current.clear();
    changed.current.clear();
    renewals.value += 1;
  }, [cursor]);
  useEffect(() => {
    if (cursor === undefined) return;
    if (isHidden) {
      state.value = 'stale';
      return;
    }
    const left = new AbortController();
    const { signal } = left;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const renew = () => {
      timer = undefined;
      renewals.value += 1;
    };
    const apply = ({ data: { widget } }: WidgetStreamEvent) => {
      if (widget === null) return;
      changed.current.set(widget.id, widget);
      if (changed.current.size === mostChanges) void latestReload.current();
      if (widget.version === 1) created.current.set(widget.id, widget);
      timer ??= setTimeout(renew, renewMs);
    };
    const follow = async () => {
      const isKnown = position.current !== null;
      const onState = (next: StreamState) => (state.value = judgeState(next, state.peek()));
      for await (const event of service.streamOfSession({ position: position.current, signal, onState })) {
        if (isWidgetEvent(event)) apply(event);
        if (event.type === 'stream.gap' || (event.type === 'stream.open' && !isKnown)) void latestReload.current();
        if (event.type !== 'stream.closing') position.current = event.position;
      }
    };
    follow().catch(() => {
      if (signal.aborted) return;
      state.value = 'failed';
      // After the end of the session, or if this user was disabled.
      void loadSession();
    });
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [cursor, isHidden]);

  // Reading it makes the component follow the changes.
  void renewals.value;
  // Counted against the newest answer: an event can come before the answer that already has its widget.
  const newCount = [...created.current.values()].filter(isNew).length;
  return { state, created: newCount, renew: (row) => renewRow(row, changed.current.get(row.id)) };
}

/** The service ends each stream from time to time: what the page shows is stale only if the next one does not open. */
function judgeState(next: StreamState, before: LiveState): LiveState {
  if (next.name === 'open') return 'live';
  return next.name === 'silent' || (next.name === 'waiting' && next.cause !== null) ? 'stale' : before;
}

/** The owner never changes, and events do not carry the e-mail. */
function renewRow(row: Widget, changed: ChangedWidget | undefined): Widget {
  return changed === undefined || changed.version <= row.version ? row : { ...row, ...changed, owner: row.owner };
}

/** Whether the tab has been hidden for a while. */
function useLongHidden(): boolean {
  const isHidden = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => (isHidden.value = true), hiddenPauseMs);
      else isHidden.value = false;
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, []);
  return isHidden.value;
}
