import { useSignal } from '@preact/signals';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';

const shownMs = 2_000;

/** Copies a text. Says whether that worked: on pages without HTTPS, browsers allow no copying. */
export function CopyButton({ text, label = texts.general.copy }: { readonly text: string; readonly label?: string }) {
  const outcome = useSignal<'copied' | 'failed' | null>(null);
  const copy = async () => {
    outcome.value = await navigator.clipboard.writeText(text).then(
      () => 'copied' as const,
      () => 'failed' as const,
    );
    if (outcome.value === 'copied') setTimeout(() => (outcome.value = null), shownMs);
  };
  return (
    <>
      <Button onClick={() => void copy().catch(() => (outcome.value = 'failed'))}>
        {outcome.value === 'copied' ? texts.general.copied : label}
      </Button>
      <span role="status" class={outcome.value === 'failed' ? 'hint' : 'visually-hidden'}>
        {outcome.value === 'failed' ? texts.general.copyFailed : outcome.value === 'copied' ? texts.general.copied : ''}
      </span>
    </>
  );
}
