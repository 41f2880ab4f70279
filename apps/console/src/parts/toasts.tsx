import { signal } from '@preact/signals';

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
