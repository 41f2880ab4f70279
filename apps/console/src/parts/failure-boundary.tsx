import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
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
  const { failure } = texts;
  return (
    <Frame class="failure">
      <div class="notice notice-error" role="alert">
        <h1 tabIndex={-1}>{failure.title}</h1>
        <p>{failure.text}</p>
        <p class="small selectable">
          <code>{String(error)}</code>
        </p>
        <Button kind="primary" onClick={() => location.reload()}>
          {failure.reload}
        </Button>
      </div>
    </Frame>
  );
}
