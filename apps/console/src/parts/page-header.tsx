import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

interface PageHeaderProperties {
  readonly title: string;
  /** Beside the title: a count, a state. */
  readonly aside?: ComponentChildren;
  /** Buttons at the end of the line. */
  readonly children?: ComponentChildren;
}

/** The heading of a page. It also names the tab. */
export function PageHeader({ title, aside, children }: PageHeaderProperties) {
  useEffect(() => {
    document.title = `${title} · ${texts.general.productName}`;
  }, [title]);
  return (
    <header class="page-header">
      <h1 tabIndex={-1}>{title}</h1>
      <div class="page-aside">{aside}</div>
      <div class="page-actions">{children}</div>
    </header>
  );
}
