import { computed, signal } from '@preact/signals';
import { createRandomId } from '@widget-service/client/requests/send.ts';
import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { consoleRoot } from '../service/service.ts';

/** The parameters of a path, for example `{ id: '7' }` for `/widgets/7` and `/widgets/:id`. */
export type RouteParameters = Readonly<Record<string, string>>;

/** Where the page is: the part of the address after the console's root, and the query. */
const location = signal(readLocation());

/** For example `/widgets/0190…`. */
export const path = computed(() => location.value.path);
export const query = computed(() => location.value.query);

function readLocation() {
  const { pathname, search } = window.location;
  return { path: `/${pathname.slice(consoleRoot.pathname.length)}`, query: new URLSearchParams(search) };
}

/** Returns the time of a parameter of the address, or null if there is none, or something else. */
export function readTime(name: string): string | null {
  const ms = Date.parse(query.value.get(name) ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
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

/** Says what would be lost if the page were left now. Null: nothing. */
type LeaveQuestion = () => string | null;
const questions = new Set<LeaveQuestion>();

/** Asks before the page is left by a link, a key or the history. The browser asks before the tab is closed. */
export function useLeaveQuestion(ask: LeaveQuestion): void {
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    const question = () => latest.current();
    questions.add(question);
    return () => void questions.delete(question);
  }, []);
}

function readQuestion(): string | null {
  return [...questions].map((ask) => ask()).find((text) => text !== null) ?? null;
}

/** A page stays while its path does: a link within it, or another query, loses nothing. */
function mayLeave(next: string): boolean {
  const text = next === path.peek() ? null : readQuestion();
  return text === null || window.confirm(text);
}

/** Shows another path, unless the person stays to save something. The browser's back button leads back. */
export function goTo(to: string): void {
  if (!mayLeave(to.replace(/\?.*/s, ''))) return;
  history.pushState(createRandomId(), '', toHref(to));
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

/** These changes of the address lead to the first page of a list: combine them with those of a filter. */
export const firstPage = { page: null, asOf: null } as const;

export function followAddress(): void {
  // The link of the icon is relative to the address that the page was opened at, and other addresses follow.
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon !== null) icon.href = new URL('icon.svg', consoleRoot).href;
  window.addEventListener('popstate', () => {
    const next = readLocation();
    // The browser has moved already. One more entry keeps the page.
    if (mayLeave(next.path)) location.value = next;
    else history.pushState(createRandomId(), '', toHref(`${path.peek()}?${query.peek()}`));
  });
  window.addEventListener('beforeunload', (event) => {
    if (readQuestion() !== null) event.preventDefault();
  });
}

interface LinkProperties {
  /** A path of the console: `/widgets`. */
  readonly to: string;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | undefined;
  readonly children?: ComponentChildren;
}

/** Whether a click on a link is for the browser: it opens a tab or a window, or downloads. */
export function isForBrowser({ ctrlKey, metaKey, shiftKey, altKey, button }: MouseEvent): boolean {
  return ctrlKey || metaKey || shiftKey || altKey || button !== 0;
}

/** A link to another page of the console. With a modifier key it opens a tab, as every link. */
export function Link({ to, children, ...attributes }: LinkProperties) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (isForBrowser(event)) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a {...attributes} href={toHref(to)} onClick={follow}>
      {children}
    </a>
  );
}
