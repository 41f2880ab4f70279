import { useSignal } from '@preact/signals';
import { createRandomId } from '@widget-service/client/requests/random-id.ts';
import { useRef } from 'preact/hooks';
import { FormDialog } from '../../parts/dialog.tsx';
import { CheckBox, TextField } from '../../parts/fields.tsx';
import { showToast } from '../../parts/messages.tsx';
import { service } from '../../service/service.ts';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

const emptyWidget = { name: '', labels: '', isMine: false, notify: false };

export function NewWidgetDialog({ onClose }: { readonly onClose: () => void }) {
  const form = texts.widgets.form;
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
    showToast(texts.widgets.created(name.trim()));
    onClose();
  };
  const change = (changes: Partial<typeof values.value>) => {
    values.value = { ...values.value, ...changes };
    key.current = createRandomId();
  };
  const { name, labels, isMine, notify } = values.value;
  return (
    <FormDialog title={form.title} submitLabel={form.submit} onSubmit={create} onClose={onClose}>
      <TextField
        label={form.name}
        hint={form.nameHint}
        pointer="/name"
        required
        value={name}
        onInput={(text) => change({ name: text })}
      />
      <TextField
        label={form.labels}
        hint={form.labelsHint}
        pointer="/labels"
        value={labels}
        onInput={(text) => change({ labels: text })}
      />
      <CheckBox label={form.isMine} checked={isMine} onChange={(checked) => change({ isMine: checked })} />
      {isMine ? (
        <CheckBox label={form.notify} checked={notify} onChange={(checked) => change({ notify: checked })} />
      ) : null}
    </FormDialog>
  );
}
