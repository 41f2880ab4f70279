import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { describeProblem } from './problems.ts';

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
      {requestId === null ? null : <p class="muted small selectable">Request {requestId}</p>}
      {onRetry === undefined ? null : <Button onClick={() => void onRetry()}>Try again</Button>}
    </div>
  );
}

/** What a person can do about what a toast says, such as to undo it. */
interface ToastAction {
  readonly label: string;
  readonly onClick: () => void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = 6_000;
/** Long enough to read it, to decide, and to move there. */
const shownWithActionMs = 15_000;
let lastId = 0;

/** Says that something was done. For failures, use a `ProblemNotice`: it stays until somebody has read it. */
export function showToast(text: string, action?: ToastAction): void {
  lastId += 1;
  const toast = { id: lastId, text, action };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => removeToast(toast), action === undefined ? shownMs : shownWithActionMs);
}

function removeToast(toast: Toast): void {
  toasts.value = toasts.value.filter((other) => other !== toast);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <p key={toast.id} class="toast">
          <span>{toast.text}</span>
          {toast.action === undefined ? null : (
            <button
              type="button"
              class="toast-action"
              onClick={() => {
                removeToast(toast);
                toast.action?.onClick();
              }}
            >
              {toast.action.label}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
