import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/fields.tsx';
import { serviceRoot, toOwnAddress } from '../../service/page-settings.ts';
import { type RefusedUrl, readStreamUrl } from './stream-url.ts';

/** Asks for the secret URL of a stream. It is kept nowhere. */
export function PasteUrl({ onListen }: { readonly onListen: (url: string) => void }) {
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
      <Field
        label="Stream URL (secret)"
        hint="Paste it to see what a program gets. It is kept only until you leave this page."
      >
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
            <Button type="submit">Listen</Button>
          </div>
        )}
      </Field>
      <div role="alert">
        {wrong === null ? null : wrong.kind === 'wrong' ? (
          <p class="field-mistake">This is not the URL of a stream. It ends with /api/v1/events/ and a token.</p>
        ) : (
          <div class="notice notice-error">
            <p>
              The browser lets this page connect to {serviceRoot.host} only, and the URL leads to {wrong.host}. If both
              lead to this service, listen through {serviceRoot.host}. Otherwise use the sample code.
            </p>
            <Button onClick={() => onListen(toOwnAddress(wrong.url))}>Listen through {serviceRoot.host}</Button>
          </div>
        )}
      </div>
    </form>
  );
}
