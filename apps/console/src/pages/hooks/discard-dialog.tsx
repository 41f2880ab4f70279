import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { api } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

interface DiscardDialogProperties {
  readonly integrationId: string;
  readonly eventIds: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

/** Asks, and then discards dead deliveries one after the other. After a refusal, a second try goes on with the rest. */
export function DiscardDialog({ integrationId, eventIds, onClose, onDone }: DiscardDialogProperties) {
  const { hooks } = texts;
  const discard = async () => {
    for (const eventId of eventIds) {
      const path = { id: integrationId, eventId };
      await api.DELETE('/api/v1/integrations/{id}/deliveries/{eventId}', { params: { path } });
    }
    showToast(hooks.discarded(eventIds.length));
    await onDone();
  };
  return (
    <ConfirmDialog
      title={hooks.discardTitle(eventIds.length)}
      text={hooks.discardText}
      label={hooks.discard}
      isDangerous
      onConfirm={discard}
      onClose={onClose}
    />
  );
}
