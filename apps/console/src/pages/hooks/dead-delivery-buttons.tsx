import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { DiscardDialog } from './discard-dialog.tsx';
import type { Redrive } from './use-redrive.ts';

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
  /** The deliveries that the dialog asks about, or null if it is closed. */
  const discarding = useSignal<readonly string[] | null>(null);
  const isBusy = redrive.isRunning.value;
  return (
    <>
      <Button kind="primary" isBusy={isBusy} onClick={() => void redrive.run(eventIds)}>
        {redrive.progress.value ?? labels.redrive}
      </Button>
      <Button kind="danger" isBusy={isBusy} onClick={() => (discarding.value = eventIds)}>
        {labels.discard}
      </Button>
      {discarding.value === null ? null : (
        <DiscardDialog
          integrationId={integrationId}
          eventIds={discarding.value}
          onClose={() => (discarding.value = null)}
          onDone={onDiscarded}
        />
      )}
    </>
  );
}
