import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button, CopyButton } from '../parts/button.tsx';
import { maskSecret } from './mask-secret.ts';

interface SecretLineProperties {
  readonly label: string;
  readonly secret: string;
  readonly onCopied: () => void;
}

/** A secret that is hidden until the person wants to see it. It can be copied all the same. */
export function SecretLine({ label, secret, onCopied }: SecretLineProperties) {
  const isShown = useSignal(false);
  const labelId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and nothing is typed here.
    <div class="field" role="group" aria-labelledby={labelId}>
      <strong id={labelId}>{label}</strong>
      <div class="secret-line">
        <code class={isShown.value ? 'secret selectable' : 'secret'}>
          {isShown.value ? secret : maskSecret(secret)}
        </code>
        <Button kind="quiet" onClick={() => (isShown.value = !isShown.value)}>
          {isShown.value ? 'Hide' : 'Show'}
        </Button>
        <CopyButton text={secret} onCopied={onCopied} />
      </div>
    </div>
  );
}
