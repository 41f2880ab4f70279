import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import type {
  EstimatePasswordStrength,
  PasswordScore,
} from '@widget-service/shared/usecases/access/check-new-password.ts';

/** The thread ends when no password was estimated for this long. It takes about 85 MB. */
const idleMs = 60_000;
/** Long, because the first estimate loads the dictionaries. */
const timeoutMs = 5_000;
const limits = { what: 'estimate a password', maxRunning: 1, maxWaiting: 50, maxWaitMs: 5_000 } as const;
const threadUrl = new URL('./strength-thread.ts', import.meta.url);
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

/** What the thread gets. It answers with the score. */
export interface StrengthRequest {
  readonly password: string;
  readonly words: readonly string[];
}

/**
 * Creates the function that estimates passwords with zxcvbn, in a thread of its own: a single estimate can take half a
 * second, which would stop the streams of the pod. The thread starts with the first call.
 */
function createEstimator(): EstimatePasswordStrength {
  const limit = createSemaphore(limits);
  let thread: Worker | null = null;
  let idleTimer: NodeJS.Timeout | undefined;

  function stopThread(): void {
    void thread?.terminate();
    thread = null;
  }

  function startThread(): Worker {
    // An empty environment: the thread needs no setting, so it gets no secret.
    const started = new Worker(threadUrl, { env: {}, execArgv: [], resourceLimits });
    // An idle thread does not keep the process alive. Its errors reject the estimate that waits for it.
    started.unref();
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (thread === started) thread = null;
    });
    return started;
  }

  async function estimate(request: StrengthRequest): Promise<PasswordScore> {
    clearTimeout(idleTimer);
    thread ??= startThread();
    const answer = once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    thread.postMessage(request);
    try {
      const [score] = (await answer) as [PasswordScore];
      return score;
    } catch (error) {
      stopThread();
      throw new UnavailableError(`no estimate of a password within ${timeoutMs} ms`, error);
    } finally {
      idleTimer = setTimeout(stopThread, idleMs).unref();
    }
  }

  return (password, words, source) => limit(() => estimate({ password, words }), source);
}

/** One thread per process. */
export const estimatePasswordStrength = createEstimator();
