import { useSignal } from '@preact/signals';
import type { ButtonHTMLAttributes, TargetedMouseEvent } from 'preact';

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
