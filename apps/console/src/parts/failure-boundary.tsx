import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Button } from './button.tsx';

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
