import { useSignal } from '@preact/signals';
import type { IconNode } from 'lucide';
import { type ButtonHTMLAttributes, h, type TargetedMouseEvent } from 'preact';

interface IconProperties {
  /** An icon of the package `lucide`. */
  readonly of: IconNode;
  /** In pixels. Default: 16. */
  readonly size?: number;
}

/** A drawing beside a word. Screen readers skip it: the word says everything. */
export function Icon({ of, size = 16 }: IconProperties) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {of.map(([tag, attributes], index) => h(tag, { key: index, ...attributes }))}
    </svg>
  );
}

interface ButtonProperties extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'class' | 'type'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly class?: string;
  /** While something runs: the button stays focusable, says that it is busy, and does nothing. */
  readonly isBusy?: boolean;
}

export function Button(properties: ButtonProperties) {
  const { kind = 'plain', type = 'button', class: ownClass = '', isBusy = false, onClick, ...attributes } = properties;
  const click = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (isBusy) event.preventDefault();
    else if (typeof onClick === 'function') onClick.call(event.currentTarget, event);
  };
  return (
    <button
      {...attributes}
      type={type}
      class={`button button-${kind} ${ownClass}`}
      aria-busy={isBusy}
      aria-disabled={isBusy || undefined}
      onClick={click}
    />
  );
}

const shownMs = 2_000;
const copyFailedText = 'Copying is blocked in this browser (it needs HTTPS). Select the text instead.';

interface CopyButtonProperties {
  readonly text: string;
  readonly label?: string;
  readonly onCopied?: () => void;
}

/** Copies a text. Says whether that worked: on pages without HTTPS, browsers allow no copying. */
export function CopyButton({ text, label = 'Copy', onCopied }: CopyButtonProperties) {
  const outcome = useSignal<'copied' | 'failed' | null>(null);
  const copy = async () => {
    outcome.value = await navigator.clipboard.writeText(text).then(
      () => 'copied' as const,
      () => 'failed' as const,
    );
    if (outcome.value !== 'copied') return;
    onCopied?.();
    setTimeout(() => (outcome.value = null), shownMs);
  };
  return (
    <>
      <Button onClick={() => void copy().catch(() => (outcome.value = 'failed'))}>
        {outcome.value === 'copied' ? 'Copied' : label}
      </Button>
      <span role="status" class={outcome.value === 'failed' ? 'hint' : 'visually-hidden'}>
        {outcome.value === null ? '' : outcome.value === 'copied' ? 'Copied' : copyFailedText}
      </span>
    </>
  );
}
