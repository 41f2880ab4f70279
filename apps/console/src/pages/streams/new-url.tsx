import { useRef } from 'preact/hooks';
import { SecretLine } from '../../grants/secrets.tsx';
import { Button } from '../../parts/button.tsx';
import { FullTime } from '../../parts/time.tsx';
import { useLeaveQuestion } from '../../router/address.ts';
import { texts } from '../../texts/texts.ts';
import type { HeldStream } from './held-stream.ts';

interface NewUrlProperties {
  readonly held: HeldStream;
  /** The person wants to see it no more. */
  readonly onSaved: () => void;
}

/** Shows the URL of a new or rotated subscription. The page asks before it is left without a copy. */
export function NewUrl({ held, onSaved }: NewUrlProperties) {
  const { streams, grants } = texts;
  const isCopied = useRef(false);
  useLeaveQuestion(() => (isCopied.current ? null : streams.leaveText));
  return (
    <section class="new-url" aria-label={streams.newUrl}>
      <p class="notice notice-warning">{streams.newUrlWarning}</p>
      <SecretLine label={streams.newUrl} secret={held.url} onCopied={() => (isCopied.current = true)} />
      {held.previousExpiresAt == null ? null : (
        <p class="hint">
          {grants.previousUntil} <FullTime at={held.previousExpiresAt} />
        </p>
      )}
      <Button onClick={onSaved}>I've saved it</Button>
    </section>
  );
}
