import { computed, signal } from '@preact/signals';
import { createRandomId } from '@widget-service/client/requests/random-id.ts';
import { consoleRoot } from '../service/page-settings.ts';

/** Where the page is: the part of the address after the console's root, and the query. */
const location = signal(readLocation());

/** For example `/widgets/0190…`. */
export const path = computed(() => location.value.path);
export const query = computed(() => location.value.query);

function readLocation() {
  const { pathname, search } = window.location;
  return { path: `/${pathname.slice(consoleRoot.pathname.length)}`, query: new URLSearchParams(search) };
}

/** Tells the entries of the history apart. It survives a reload. */
export function readEntryKey(): string {
  const state: unknown = history.state;
  return typeof state === 'string' ? state : '';
}

/** Returns the address of a path of the console: `/widgets?state=active`. */
export function toHref(path: string): string {
  return new URL(path.slice(1), consoleRoot).href;
}

/** Asks whether the page may be left, and calls `leave` if so. */
type LeaveGuard = (leave: () => void) => void;
let guard: LeaveGuard | null = null;

/** Sets what asks before this page is left by a link, a key or the history, or null. */
export function setLeaveGuard(next: LeaveGuard | null): void {
  guard = next;
}

/** Shows another path. The browser's back button leads back. */
export function goTo(path: string): void {
  if (guard === null) show(path);
  else guard(() => show(path));
}

function show(path: string): void {
  history.pushState(createRandomId(), '', toHref(path));
  location.value = readLocation();
  window.scrollTo(0, 0);
}

/** Shows another path instead of this one. The back button does not lead back to this one. */
export function replacePath(path: string): void {
  history.replaceState(history.state, '', toHref(path));
  location.value = readLocation();
}

/** Changes parameters of the query and adds nothing to the history. Null removes a parameter. */
export function changeQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const search = next.size === 0 ? '' : `?${next}`;
  history.replaceState(history.state, '', window.location.pathname + search);
  location.value = readLocation();
}

export function followAddress(): void {
  // The link of the icon is relative to the address that the page was opened at, and other addresses follow.
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon !== null) icon.href = new URL('icon.svg', consoleRoot).href;
  window.addEventListener('popstate', () => {
    if (guard === null) {
      location.value = readLocation();
      return;
    }
    // The browser has moved already. One more entry keeps the page, and Back leads to where the person wanted to go.
    history.pushState(createRandomId(), '', toHref(path.peek()));
    guard(() => {
      guard = null;
      history.back();
    });
  });
}
