import { useSignal } from '@preact/signals';
import { SecretLine } from '../../grants/secret-line.tsx';
import { Button } from '../../parts/button.tsx';
import { LeaveQuestion } from '../../parts/leave-question.tsx';
import { FullTime } from '../../parts/time.tsx';
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
  const isCopied = useSignal(false);
  return (
    <section class="new-url" aria-label={streams.newUrl}>
      <p class="notice notice-warning">{streams.newUrlWarning}</p>
      <SecretLine label={streams.newUrl} secret={held.url} onCopied={() => (isCopied.value = true)} />
      {held.previousExpiresAt == null ? null : (
        <p class="hint">
          {grants.previousUntil} <FullTime at={held.previousExpiresAt} />
        </p>
      )}
      {isCopied.value ? null : (
        <LeaveQuestion
          title="Leave without a copy?"
          text={streams.leaveText}
          stayLabel="Stay"
          leaveLabel="I've saved it"
        />
      )}
      <Button onClick={onSaved}>I've saved it</Button>
    </section>
  );
}
