import { Code } from '../../parts/code.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { api } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { quoteText } from './quote-text.ts';

interface TextDialogProperties {
  readonly id: string;
  readonly onClose: () => void;
}

/** Shows a quarantined text. Anybody who can write to the queue may have written it. */
export function ShowTextDialog({ id, onClose }: TextDialogProperties) {
  const { quarantine } = texts.hooks;
  const read = useResource((signal) => api.GET('/api/v1/quarantine/{id}', { params: { path: { id } }, signal }), [id]);
  const found = read.data.value;
  return (
    <Dialog title={quarantine.showTitle} onClose={onClose}>
      <p class="muted">{quarantine.showText}</p>
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
      {found === null ? null : <Code>{quoteText(found.text)}</Code>}
    </Dialog>
  );
}

/** Asks, and then removes a quarantined text. */
export function DiscardTextDialog({
  id,
  onClose,
  onDone,
}: TextDialogProperties & { readonly onDone: () => Promise<unknown> }) {
  const { quarantine } = texts.hooks;
  const discard = async () => {
    await api.DELETE('/api/v1/quarantine/{id}', { params: { path: { id } } });
    showToast(quarantine.discarded);
    await onDone();
  };
  return (
    <ConfirmDialog
      title={quarantine.discardTitle}
      text={quarantine.discardText}
      label={quarantine.discard}
      isDangerous
      onConfirm={discard}
      onClose={onClose}
    />
  );
}
