import { useSignal } from '@preact/signals';
import { createRandomId } from '@widget-service/client/requests/send.ts';
import { useRef } from 'preact/hooks';
import { FormDialog } from '../../parts/dialog.tsx';
import { CheckBox, TextField } from '../../parts/fields.tsx';
import { showToast } from '../../parts/messages.tsx';
import { service } from '../../service/service.ts';
import { session } from '../../session/session.ts';

const emptyWidget = { name: '', labels: '', isMine: false, notify: false };

interface NewWidgetDialogProperties {
  readonly onCreated: () => Promise<void>;
  readonly onClose: () => void;
}

export function NewWidgetDialog({ onCreated, onClose }: NewWidgetDialogProperties) {
  const values = useSignal(emptyWidget);
  // One for each text of the form, so that a repeated click after a lost response creates no second widget.
  const key = useRef(createRandomId());
  const create = async () => {
    const { name, isMine, notify } = values.value;
    const user = session.value?.user;
    const labels = values.value.labels.split(',').map((label) => label.trim());
    const widget = {
      name,
      labels: labels.filter((label) => label !== ''),
      owner: isMine && user !== undefined ? { userId: user.id, email: user.email, notify } : null,
    };
    await service.createWidget(widget, { idempotencyKey: key.current });
    showToast(`“${name.trim()}” was created.`);
    onClose();
    await onCreated();
  };
  const change = (changes: Partial<typeof values.value>) => {
    values.value = { ...values.value, ...changes };
    key.current = createRandomId();
  };
  const { name, labels, isMine, notify } = values.value;
  return (
    <FormDialog title="Create widget" submitLabel="Create" onSubmit={create} onClose={onClose}>
      <TextField
        label="Name"
        hint="At most 200 characters."
        pointer="/name"
        required
        value={name}
        onInput={(text) => change({ name: text })}
      />
      <TextField
        label="Labels"
        hint="Separated by commas. Streams can be filtered by labels."
        pointer="/labels"
        value={labels}
        onInput={(text) => change({ labels: text })}
      />
      <CheckBox label="Make me the owner" checked={isMine} onChange={(checked) => change({ isMine: checked })} />
      {isMine ? (
        <CheckBox
          label="Notify owner (a flag for other systems; this service sends nothing)"
          checked={notify}
          onChange={(checked) => change({ notify: checked })}
        />
      ) : null}
    </FormDialog>
  );
}
