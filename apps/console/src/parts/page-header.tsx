import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from '../router/link.tsx';

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
