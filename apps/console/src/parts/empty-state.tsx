import type { ComponentChildren } from 'preact';

interface EmptyStateProperties {
  readonly title: string;
  readonly text: string;
  /** What the person can do next. */
  readonly children?: ComponentChildren;
}

/** Shown where a list would be: says why it is empty, and what to do next. */
export function EmptyState({ title, text, children }: EmptyStateProperties) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
