import { computed, effect, signal } from '@preact/signals';
import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import type { LiveWidgets, LiveWidgetsState } from '@widget-service/client/live/live-widgets.ts';
import { service } from '../service/service.ts';
import { loadSession, may, session } from '../session/session.ts';
import { createCalmState } from './calm-state.ts';

/** The copy of all widgets that every page of this tab shares: one stream for a tab. Null without the permission. */
export const liveWidgets = signal<LiveWidgets | null>(null);
export const liveState = signal<LiveWidgetsState>('loading');
/** Counts the renewals of `rows`. */
const renewals = signal(0);
/**
 * The widgets, newest first. Renewed at most every `renewMs`, however many events come. Computed, because the copy of
 * 100 000 widgets costs: pages that do not read it do without.
 */
export const rows = computed<readonly LiveWidget[]>(() =>
  renewals.value === 0 ? [] : (liveWidgets.value?.getSnapshot() ?? []),
);
/** How many widgets the running load has read. */
export const readCount = signal(0);

const renewMs = 200;
/**
 * A tab that is hidden for longer closes its stream: without HTTP/2 a browser opens only six connections to a server,
 * so six hidden tabs would hold up the seventh.
 */
const hiddenPauseMs = 60_000;
/** How long a changed row stands out, in milliseconds. */
const glowMs = 2_000;
const changedAtMs = new Map<string, number>();

/** Whether the widget has changed just now. */
export function hasJustChanged(id: string): boolean {
  return Date.now() - (changedAtMs.get(id) ?? 0) < glowMs;
}

/** Holds the live widgets while somebody is signed in who may see them. */
export function followWidgets(): void {
  effect(() => {
    const userId = session.value?.user.id;
    if (userId === undefined || session.value?.user.mustChangePassword || !may('widgets:read')) return;
    const calm = createCalmState((state) => (liveState.value = state));
    const widgets = service.liveWidgets({ onRetry: ({ error }) => calm.noteInterruption(error) });
    const end = connect(widgets, calm.follow);
    const stopPausing = pauseWhileHidden(widgets);
    liveWidgets.value = widgets;
    return () => {
      end();
      stopPausing();
      calm.close();
      widgets.close();
      liveWidgets.value = null;
      renewals.value = 0;
      readCount.value = 0;
      changedAtMs.clear();
    };
  });
}

/** Returns the function that ends that. */
function pauseWhileHidden(widgets: LiveWidgets): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(widgets.pause, hiddenPauseMs);
    else widgets.resume();
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', follow);
  };
}

/** Copies a live collection into the signals above. Returns the function that ends that. */
function connect(widgets: LiveWidgets, onState: (state: LiveWidgetsState) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const renew = () => {
    timer = null;
    renewals.value = renewals.peek() + 1;
    const oldestMs = Date.now() - glowMs;
    for (const [id, atMs] of changedAtMs) {
      if (atMs >= oldestMs) break;
      changedAtMs.delete(id);
    }
  };
  const unsubscribe = widgets.subscribe((changes) => {
    // At once after the first load, so that nobody sees an empty list for a moment.
    if (liveState.value === 'loading' && widgets.state !== 'loading') renewals.value = renewals.peek() + 1;
    onState(widgets.state);
    readCount.value = widgets.readCount;
    // After the end of the session, or if this user was disabled.
    if (widgets.state === 'failed') void loadSession();
    for (const { event, widget } of changes) {
      if (event === null) continue;
      // At the end of the map, so that its order is the order of the times.
      changedAtMs.delete(widget.id);
      changedAtMs.set(widget.id, Date.now());
    }
    timer ??= setTimeout(renew, renewMs);
  });
  onState(widgets.state);
  return () => {
    unsubscribe();
    if (timer !== null) clearTimeout(timer);
  };
}
