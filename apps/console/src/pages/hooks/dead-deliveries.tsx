import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showToast } from '../../parts/messages.tsx';
import { api } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { followRedrive, type RedrivenDelivery } from './follow-redrive.ts';
import { type Redrive, useRedriveOf } from './use-redrive.ts';

/**
 * Redrives dead deliveries one after the other, and waits until each is published or dead again. It stops at the first
 * refusal, which is shown.
 */
export function useRedrive(integrationId: string, onDone: () => Promise<unknown>): Redrive {
  return useRedriveOf(async (onProgress, eventIds: readonly string[]) => {
    onProgress(0, eventIds.length);
    const redriven: RedrivenDelivery[] = [];
    for (const eventId of eventIds) {
      const path = { id: integrationId, eventId };
      const redrive = '/api/v1/integrations/{id}/deliveries/{eventId}/redrive';
      const { attempts } = await api.POST(redrive, { params: { path } });
      redriven.push({ eventId, integrationId, attempts });
    }
    return followRedrive(redriven, (done) => onProgress(done, eventIds.length));
  }, onDone);
}

/** Says which redriven deliveries are not published. It stays until the next redrive. */
export function RedriveFailure({ redrive }: { readonly redrive: Pick<Redrive, 'failure'> }) {
  if (redrive.failure.value === null) return null;
  return (
    <p class="notice notice-error" role="alert">
      {redrive.failure.value}
    </p>
  );
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
