import type { TargetedMouseEvent } from 'preact';
import { changeQuery, path, toHref } from '../router/address.ts';
import { isForBrowser } from '../router/link.tsx';

interface TabLinksProperties<Name extends string> {
  /** The accessible name of the tabs. */
  readonly label: string;
  /** The names with their titles. The first one is shown if the address names none. */
  readonly tabs: readonly (readonly [Name, string])[];
  readonly current: Name;
}

/** The parts of a page, one at a time. The address has the name of the part: `?tab=code`. */
export function TabLinks<Name extends string>({ label, tabs, current }: TabLinksProperties<Name>) {
  const show = (event: TargetedMouseEvent<HTMLAnchorElement>, tab: string | null) => {
    if (isForBrowser(event)) return;
    event.preventDefault();
    changeQuery({ tab });
  };
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([name, title], index) => {
        const tab = index === 0 ? null : name;
        return (
          <a
            key={name}
            class="tab"
            href={toHref(tab === null ? path.value : `${path.value}?tab=${tab}`)}
            aria-current={name === current ? 'page' : undefined}
            onClick={(event) => show(event, tab)}
          >
            {title}
          </a>
        );
      })}
    </nav>
  );
}
