import { createHookSender, type HookEvent, type HookSenderOptions } from '@widget-service/client/hooks/hook-sender.ts';
import { readServiceMs } from '../../service/service-clock.ts';

/** A hook that the service has accepted. */
export interface AcceptedHook {
  readonly eventId: string;
  /** How long the service took to accept it, in milliseconds, without earlier attempts. */
  readonly durationMs: number;
}

/** Sends one hook until the service has accepted or refused it, or `signal` ends that. */
export async function sendTestHook(
  event: HookEvent,
  options: HookSenderOptions,
  signal: AbortSignal,
): Promise<AcceptedHook> {
  let durationMs = 0;
  const sender = createHookSender({
    ...options,
    // The service accepts a signature for five minutes, by its own clock.
    now: readServiceMs,
    fetch: async (...request) => {
      const startMs = performance.now();
      const response = await fetch(...request);
      durationMs = performance.now() - startMs;
      return response;
    },
  });
  signal.addEventListener('abort', () => sender.close());
  const { eventId } = await sender.send(event);
  return { eventId, durationMs };
}
