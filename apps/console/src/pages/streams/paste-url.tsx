import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/fields.tsx';
import { serviceRoot, toOwnAddress } from '../../service/page-settings.ts';
import { texts } from '../../texts/texts.ts';
import { type RefusedUrl, readStreamUrl } from './stream-url.ts';

/** Asks for the secret URL of a stream. It is kept nowhere. */
export function PasteUrl({ onListen }: { readonly onListen: (url: string) => void }) {
  const { preview } = texts.streams;
  const text = useSignal('');
  const refused = useSignal<RefusedUrl | null>(null);
  const listen = () => {
    const pasted = readStreamUrl(text.value, serviceRoot.origin);
    if (pasted.kind === 'own') onListen(pasted.url);
    else refused.value = pasted;
  };
  const wrong = refused.value;
  return (
    <form
      method="post"
      class="paste-url"
      onSubmit={(event) => {
        event.preventDefault();
        listen();
      }}
    >
      <Field label={preview.url} hint={preview.urlHint}>
        {({ id, hintId }) => (
          <div class="input-with-button">
            <input
              id={id}
              class="input"
              type="text"
              autoComplete="off"
              spellcheck={false}
              required
              aria-describedby={hintId}
              aria-invalid={wrong !== null}
              value={text.value}
              onInput={({ currentTarget }) => {
                text.value = currentTarget.value;
                refused.value = null;
              }}
            />
            <Button type="submit">{preview.listen}</Button>
          </div>
        )}
      </Field>
      <div role="alert">
        {wrong === null ? null : wrong.kind === 'wrong' ? (
          <p class="field-mistake">{preview.wrongUrl}</p>
        ) : (
          <div class="notice notice-error">
            <p>{preview.otherHost(wrong.host, serviceRoot.host)}</p>
            <Button onClick={() => onListen(toOwnAddress(wrong.url))}>{preview.listenHere(serviceRoot.host)}</Button>
          </div>
        )}
      </div>
    </form>
  );
}
