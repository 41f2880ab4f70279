import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { changeQuery, isForBrowser, Link, path, toHref } from '../router/router.tsx';
import { may } from '../session/session.ts';
import { Button } from './button.tsx';

interface PageHeaderProperties {
  readonly title: string;
  /** The pages above this one, from the top: their titles and paths. */
  readonly parents?: readonly (readonly [title: string, path: string])[];
  /** Beside the title: a count, a state. */
  readonly aside?: ComponentChildren;
  /** Buttons at the end of the line. */
  readonly children?: ComponentChildren;
}

/** The heading of a page. It also names the tab. */
export function PageHeader({ title, parents = [], aside, children }: PageHeaderProperties) {
  useEffect(() => {
    document.title = `${title} · Widget Service`;
  }, [title]);
  return (
    <header class="page-header">
      {parents.length === 0 ? null : (
        <nav class="breadcrumb">
          {parents.map(([name, path]) => (
            <span key={path}>
              <Link to={path}>{name}</Link> /{' '}
            </span>
          ))}
        </nav>
      )}
      <h1 tabIndex={-1} dir="auto">
        {title}
      </h1>
      <div class="page-aside">{aside}</div>
      <div class="page-actions">{children}</div>
    </header>
  );
}

/** Leads to what was done to a thing, if this user may see that. */
export function ActivityLink({ targetId }: { readonly targetId: string }) {
  if (!may('audit:read')) return null;
  return (
    <Link to={`/access/audit?targetId=${targetId}`} class="button button-quiet">
      Activity
    </Link>
  );
}

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

interface FailureBoundaryProperties {
  /** The element that says so: the whole page, or a part of it. */
  readonly of: 'main' | 'section';
  readonly children: ComponentChildren;
}

/** Shows that its children failed instead of nothing at all: a part that throws would leave the page blank. */
export function FailureBoundary({ of: Frame, children }: FailureBoundaryProperties) {
  const [error] = useErrorBoundary((reason) => console.error(reason)) as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <Frame class="failure">
      <div class="notice notice-error" role="alert">
        <h1 tabIndex={-1}>This page has failed</h1>
        <p>
          That is a mistake of the console, not yours. Reload the page; if that does not help, report the text below.
        </p>
        <p class="small selectable">
          <code>{String(error)}</code>
        </p>
        <Button kind="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </Frame>
  );
}
