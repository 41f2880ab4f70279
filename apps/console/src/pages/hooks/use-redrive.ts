import { type ReadonlySignal, useSignal } from '@preact/signals';
import { showToast } from '../../parts/toasts.tsx';
import { api } from '../../service/service.ts';
import { type Action, useAction } from '../../service/use-action.ts';
import { texts } from '../../texts/texts.ts';

export interface Redrive extends Action<[eventIds: readonly string[]]> {
  /** `3 of 20` while it runs, else null. */
  readonly progress: ReadonlySignal<string | null>;
}

/** Redrives dead deliveries one after the other. It stops at the first refusal, which is shown. */
export function useRedrive(integrationId: string, onDone: () => Promise<unknown>): Redrive {
  const progress = useSignal<string | null>(null);
  const action = useAction(async (eventIds: readonly string[]) => {
    try {
      for (const [index, eventId] of eventIds.entries()) {
        progress.value = texts.hooks.redriveProgress(index, eventIds.length);
        const path = { id: integrationId, eventId };
        await api.POST('/api/v1/integrations/{id}/deliveries/{eventId}/redrive', { params: { path } });
      }
      showToast(texts.hooks.redriven(eventIds.length));
    } finally {
      progress.value = null;
      await onDone();
    }
  });
  return { ...action, progress };
}
