import { signal } from '@preact/signals';
import { compareClocks, readServiceMs } from './service-clock.ts';

/** Since when no request was answered, in milliseconds by the service's clock. Null while the service answers. */
export const unreachableSinceMs = signal<number | null>(null);

/** A request that takes longer counts as not answered, in milliseconds. Its answer may still come. */
const slowMs = 4_000;

/** Runs a request, and notes whether the service answers. Any answer counts, also a refusal. */
export async function watchAnswer(run: () => Promise<Response>): Promise<Response> {
  const startedAtMs = Date.now();
  const note = () => {
    unreachableSinceMs.value ??= readServiceMs() - (Date.now() - startedAtMs);
  };
  const timer = setTimeout(note, slowMs);
  try {
    const response = await run();
    unreachableSinceMs.value = null;
    compareClocks(response.headers, startedAtMs, Date.now());
    return response;
  } catch (error) {
    // The page itself gives up a request whose answer nobody needs any more.
    if (!(error instanceof DOMException && error.name === 'AbortError')) note();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
