import { signal } from '@preact/signals';
import { ExternalLink } from 'lucide';
import type { ComponentChildren } from 'preact';
import { toRunbookAddress } from '../service/service.ts';
import type { Resource } from '../service/use-service.ts';
import { Button, Icon } from './button.tsx';
import { describeProblem, describeUnreadable } from './problems.ts';

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
  readonly text: string;
  readonly action: ToastAction | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = 6_000;
/** Long enough to read it, to decide, and to move there. */
const shownWithActionMs = 15_000;

/** Says that something was done. For failures, use a `ProblemNotice`: it stays until somebody has read it. */
export function showToast(text: string, action?: ToastAction): void {
  const toast = { text, action };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => removeToast(toast), action === undefined ? shownMs : shownWithActionMs);
}

function removeToast(toast: Toast): void {
  toasts.value = toasts.value.filter((other) => other !== toast);
}

/** Copies an id and says so. Where the browser allows no copying, shows the id, to be copied by hand. */
export async function copyId(id: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(id);
    showToast('Id copied');
  } catch {
    showToast(`Copying is blocked in this browser (it needs HTTPS). The id is ${id}.`);
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <p key={toast} class="toast">
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

interface ReadStateProperties<Data> {
  readonly read: Resource<Data>;
  /** The failure of another request about it, shown if the read itself did not fail. */
  readonly error?: unknown;
  /** Shows what was read. */
  readonly children?: (data: Data) => ComponentChildren;
}

const rowNumbers = [1, 2, 3, 4, 5, 6];

/** Shows what was read. Above it: grey rows while it loads, why that failed, or how many items are missing. */
export function ReadState<Data>({ read, error = null, children }: ReadStateProperties<Data>) {
  const failure = read.error.value ?? error;
  const data = read.data.value;
  return (
    <>
      {failure !== null ? (
        <ProblemNotice error={failure} onRetry={read.reload} />
      ) : data === null ? (
        <Skeleton />
      ) : (
        <UnreadableItems data={data} />
      )}
      {data === null ? null : children?.(data)}
    </>
  );
}

/** Says that the list above or below is not complete, and what the operator can do. */
function UnreadableItems({ data }: { readonly data: unknown }) {
  const text = describeUnreadable(data);
  if (text === null) return null;
  return (
    <div class="notice notice-error notice-warning" role="status">
      <p>{text}</p>
      <Runbook name="rows-unreadable" />
    </div>
  );
}

/** Grey rows where the data will be. */
function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading…</span>
      {rowNumbers.map((row) => (
        <span key={row} class="skeleton-row" />
      ))}
    </div>
  );
}

/** A link to the runbook, which opens in a new tab. */
export function Runbook({ name }: { readonly name: string }) {
  const address = toRunbookAddress(name);
  if (address === null) return <p class="muted small">Runbook: docs/runbooks/{name}.md</p>;
  return (
    <a class="button button-plain" href={address} target="_blank" rel="noreferrer">
      <Icon of={ExternalLink} size={14} /> Runbook
    </a>
  );
}
