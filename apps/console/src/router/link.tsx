import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { goTo, toHref } from './address.ts';

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
