import { type ReadonlySignal, useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showToast } from '../../parts/messages.tsx';
import { api } from '../../service/service.ts';
import { type Action, useAction } from '../../service/use-action.ts';
import { texts } from '../../texts/texts.ts';

interface Redrive extends Action<[eventIds: readonly string[]]> {
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

interface DeadDeliveryButtonsProperties {
  readonly integrationId: string;
  /** One delivery on its own page, or those that are selected in a list. */
  readonly eventIds: readonly string[];
  readonly redrive: Redrive;
  readonly labels: { readonly redrive: string; readonly discard: string };
  readonly onDiscarded: () => Promise<unknown>;
}

/** What can be done with dead deliveries. */
export function DeadDeliveryButtons(properties: DeadDeliveryButtonsProperties) {
  const { integrationId, eventIds, redrive, labels, onDiscarded } = properties;
  const { hooks } = texts;
  /** The deliveries that the dialog asks about, or null if it is closed. */
  const discarding = useSignal<readonly string[] | null>(null);
  const isBusy = redrive.isRunning.value;
  /** One after the other. After a refusal, a second try goes on with the rest. */
  const discard = async (discarded: readonly string[]) => {
    for (const eventId of discarded) {
      const path = { id: integrationId, eventId };
      await api.DELETE('/api/v1/integrations/{id}/deliveries/{eventId}', { params: { path } });
    }
    showToast(hooks.discarded(discarded.length));
    await onDiscarded();
  };
  return (
    <>
      <Button kind="primary" isBusy={isBusy} onClick={() => void redrive.run(eventIds)}>
        {redrive.progress.value ?? labels.redrive}
      </Button>
      <Button kind="danger" isBusy={isBusy} onClick={() => (discarding.value = eventIds)}>
        {labels.discard}
      </Button>
      {discarding.value === null ? null : (
        <ConfirmDialog
          title={hooks.discardTitle(discarding.value.length)}
          text={hooks.discardText}
          label={hooks.discard}
          isDangerous
          onConfirm={() => discard(discarding.value ?? [])}
          onClose={() => (discarding.value = null)}
        />
      )}
    </>
  );
}
