import { createHookSender, type HookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { InvalidCallError, ProblemError } from '@widget-service/client/requests/failures.ts';
import type { CommandInput } from './command.ts';
import type { CommandContext } from './command-context.ts';
import { UsageError } from './failures.ts';

/** The options that name an integration. */
export const destinationOptions = {
  to: { value: 'URL', text: 'The secret URL of the integration. Better: WIDGETCTL_HOOK_URL.' },
  secret: {
    value: 'SECRET',
    text: 'The signing secret, if the integration needs signatures. Better: WIDGETCTL_HOOK_SECRET.',
  },
};

/** Opens a sender to the integration that the options or the environment name. */
export async function openSender(
  context: CommandContext,
  input: CommandInput,
  concurrency: number,
): Promise<HookSender> {
  const url = input.value('to') ?? (await context.readSecret('WIDGETCTL_HOOK_URL'));
  if (url === undefined) {
    throw new UsageError('The URL of the integration is missing: WIDGETCTL_HOOK_URL, WIDGETCTL_HOOK_URL_FILE or --to.');
  }
  const secret = input.value('secret') ?? (await context.readSecret('WIDGETCTL_HOOK_SECRET'));
  return createHookSender({
    url: url.trim(),
    concurrency,
    fetch: context.fetch,
    onRetry: context.noteWait,
    ...(secret === undefined ? {} : { secret: secret.trim() }),
  });
}

/** Whether every other hook would fail in the same way, because the URL, the secret or what answers there is wrong. */
export function concernsAllHooks(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code === 'not-found' || error.code === 'invalid-hook-signature';
  return !(error instanceof InvalidCallError);
}
