import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { goTo, toHref } from './address.ts';

interface LinkProperties {
  /** A path of the console: `/widgets`. */
  readonly to: string;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | undefined;
  readonly children?: ComponentChildren;
}

/** A link to another page of the console. With a modifier key it opens a tab, as every link. */
export function Link({ to, children, ...attributes }: LinkProperties) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    const wantsTab = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
    if (wantsTab) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a {...attributes} href={toHref(to)} onClick={follow}>
      {children}
    </a>
  );
}
