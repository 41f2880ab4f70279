import { computed, type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';

export interface Action<Input extends readonly unknown[]> {
  readonly isRunning: ReadonlySignal<boolean>;
  /** Why the last run failed, or null. */
  readonly error: ReadonlySignal<unknown>;
  /** Resolves with true after a success. Does nothing while a run is in progress. */
  readonly run: (...input: Input) => Promise<boolean>;
}

/** Something that a person starts: it runs once at a time, and its failure is shown beside the button. */
export function useAction<Input extends readonly unknown[]>(act: (...input: Input) => Promise<unknown>): Action<Input> {
  const isRunning = useSignal(false);
  const error = useSignal<unknown>(null);
  const latestAct = useRef(act);
  latestAct.current = act;
  const run = async (...input: Input): Promise<boolean> => {
    if (isRunning.peek()) return false;
    isRunning.value = true;
    error.value = null;
    try {
      await latestAct.current(...input);
      return true;
    } catch (reason) {
      error.value = reason;
      return false;
    } finally {
      isRunning.value = false;
    }
  };
  return { isRunning, error, run };
}

/** Returns the value once it has not changed for a moment: nobody wants an answer for each key. */
export function usePause<Value>(value: Value): Value {
  const settled = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = value), 250);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}

export interface Resource<Data> {
  /** What was read last, or null before the first success. It stays while the next read runs, and when that fails. */
  readonly data: ReadonlySignal<Data | null>;
  /** Why the last read failed, or null. */
  readonly error: ReadonlySignal<unknown>;
  readonly reload: () => Promise<void>;
}

export interface ResourceOptions {
  /** Reads again this long after the last read. Pauses while the tab is hidden. Default: never. */
  readonly refreshMs?: number;
}

/**
 * Reads something from the service when the component appears, and whenever one of `inputs` changes. An answer belongs
 * to its inputs: it never shows for others, and never replaces the answer to a newer read.
 */
export function useResource<Data>(
  read: (signal: AbortSignal) => Promise<Data>,
  inputs: readonly unknown[],
  { refreshMs }: ResourceOptions = {},
): Resource<Data> {
  /** A new object whenever the inputs change. An effect would notice a change only after the next frame. */
  const question = useMemo(() => ({}), inputs);
  const answer = useSignal({ question, data: null as Data | null, error: null as unknown });
  const isLoading = useRef(false);
  const current = useRef<AbortController | null>(null);
  const latest = useRef({ read, question });
  latest.current = { read, question };
  const { data, error } = useMemo(() => {
    const own = computed(() => (answer.value.question === question ? answer.value : null));
    return { data: computed(() => own.value?.data ?? null), error: computed(() => own.value?.error ?? null) };
  }, [question]);

  const reload = useCallback(async () => {
    // The component is gone.
    if (current.current?.signal.aborted) return;
    current.current?.abort();
    const own = new AbortController();
    current.current = own;
    isLoading.current = true;
    const asked = latest.current;
    try {
      const next = await asked.read(own.signal);
      if (own.signal.aborted) return;
      answer.value = { question: asked.question, data: next, error: null };
    } catch (reason) {
      if (own.signal.aborted) return;
      const before = answer.peek();
      const known = before.question === asked.question ? before.data : null;
      answer.value = { question: asked.question, data: known, error: reason };
    }
    isLoading.current = false;
  }, []);

  useEffect(() => {
    current.current = null;
    void reload();
    return () => current.current?.abort();
  }, [question]);

  useEffect(() => {
    if (refreshMs === undefined) return;
    const refresh = () => {
      if (!document.hidden && !isLoading.current) void reload();
    };
    const timer = setInterval(refresh, refreshMs);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [refreshMs]);

  return { data, error, reload };
}
