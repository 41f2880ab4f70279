import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { describeProblem } from './describe-problem.ts';

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

interface ProblemNoticeProperties {
  /** Null shows nothing. */
  readonly error: unknown;
  readonly onRetry?: () => unknown;
  /** The members of the request whose fields show their own mistakes. */
  readonly pointers?: readonly string[];
}

/** Says why something failed, with the request id to quote. */
export function ProblemNotice({ error, onRetry, pointers }: ProblemNoticeProperties) {
  if (error === null || error === undefined) return null;
  const { title, detail, requestId } = describeProblem(error, pointers);
  return (
    <div class="notice notice-error" role="alert">
      <p>
        <strong>{title}.</strong> {detail}
      </p>
      {requestId === null ? null : <p class="muted small selectable">{texts.general.requestId(requestId)}</p>}
      {onRetry === undefined ? null : <Button onClick={() => void onRetry()}>{texts.general.retry}</Button>}
    </div>
  );
}

interface Toast {
  readonly id: number;
  readonly text: string;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = 6_000;
let lastId = 0;

/** Says that something was done. For failures, use a `ProblemNotice`: it stays until somebody has read it. */
export function showToast(text: string): void {
  lastId += 1;
  const toast = { id: lastId, text };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => {
    toasts.value = toasts.value.filter((other) => other !== toast);
  }, shownMs);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <p key={id} class="toast">
          {text}
        </p>
      ))}
    </div>
  );
}
