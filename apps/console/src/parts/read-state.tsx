import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Resource } from '../service/use-resource.ts';
import { texts } from '../texts/texts.ts';
import { ProblemNotice } from './messages.tsx';

interface ReadStateProperties {
  readonly read: Resource<unknown>;
  /** The failure of something else that concerns what was read. */
  readonly error?: unknown;
}

/** After so long without an answer, the page says that the service is slow, in milliseconds. */
const slowMs = 4_000;

/** Says that something is loading, that this takes long, or why it failed. Nothing once it was read. */
export function ReadState({ read, error = null }: ReadStateProperties) {
  const isSlow = useSlowness(read);
  const { general } = texts;
  const failure = read.error.value ?? error;
  if (failure !== null) return <ProblemNotice error={failure} onRetry={read.reload} />;
  if (read.data.value !== null) return isSlow ? <SlowNotice text={general.outdated} /> : null;
  return isSlow ? <SlowNotice text={general.slow} /> : <p class="loading">{general.loading}</p>;
}

function SlowNotice({ text }: { readonly text: string }) {
  return (
    <p class="notice notice-warning" role="status">
      {text}
    </p>
  );
}

/** Whether the running read takes long. */
function useSlowness({ isLoading }: Resource<unknown>): boolean {
  const isSlow = useSignal(false);
  useEffect(() => {
    isSlow.value = false;
    if (!isLoading.value) return;
    const timer = setTimeout(() => (isSlow.value = true), slowMs);
    return () => clearTimeout(timer);
  }, [isLoading.value]);
  return isSlow.value;
}
