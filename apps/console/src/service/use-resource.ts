import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';

export interface Resource<Data> {
  /** What was read last, or null before the first success. It stays while the next read runs, and when that fails. */
  readonly data: ReadonlySignal<Data | null>;
  /** Why the last read failed, or null. */
  readonly error: ReadonlySignal<unknown>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly reload: () => Promise<void>;
}

export interface ResourceOptions {
  /** Reads again this long after the last read. Pauses while the tab is hidden. Default: never. */
  readonly refreshMs?: number;
}

/**
 * Reads something from the service when the component appears, and whenever one of `inputs` changes. The answer to an
 * older read never replaces the answer to a newer one.
 */
export function useResource<Data>(
  read: (signal: AbortSignal) => Promise<Data>,
  inputs: readonly unknown[],
  { refreshMs }: ResourceOptions = {},
): Resource<Data> {
  const data = useSignal<Data | null>(null);
  const error = useSignal<unknown>(null);
  const isLoading = useSignal(true);
  const current = useRef<AbortController | null>(null);
  const latestRead = useRef(read);
  latestRead.current = read;

  const reload = useCallback(async () => {
    current.current?.abort();
    const own = new AbortController();
    current.current = own;
    isLoading.value = true;
    try {
      const answer = await latestRead.current(own.signal);
      if (own.signal.aborted) return;
      data.value = answer;
      error.value = null;
    } catch (reason) {
      if (own.signal.aborted) return;
      error.value = reason;
    }
    isLoading.value = false;
  }, []);

  useEffect(() => {
    data.value = null;
    void reload();
    return () => current.current?.abort();
  }, inputs);

  useEffect(() => {
    if (refreshMs === undefined) return;
    const refresh = () => {
      if (!document.hidden && !isLoading.peek()) void reload();
    };
    const timer = setInterval(refresh, refreshMs);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [refreshMs]);

  return { data, error, isLoading, reload };
}
