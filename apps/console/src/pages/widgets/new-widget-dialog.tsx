import { useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { service } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** One for each text of the form, so that a repeated click after a lost response creates no second widget. */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function NewWidgetDialog({ onClose }: { readonly onClose: () => void }) {
  const form = texts.widgets.form;
  const { values, clear } = useDraft('new-widget', { name: '', labels: '', isMine: false, notify: false });
  const key = useRef(createKey());
  const create = useAction(async () => {
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
    clear();
    onClose();
  });
  const change = (changes: Partial<typeof values.value>) => {
    values.value = { ...values.value, ...changes };
    key.current = createKey();
  };
  return (
    <Dialog title={form.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field label={form.name} hint={form.nameHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              aria-describedby={hintId}
              required
              value={values.value.name}
              onInput={({ currentTarget }) => change({ name: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={form.labels} hint={form.labelsHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              aria-describedby={hintId}
              value={values.value.labels}
              onInput={({ currentTarget }) => change({ labels: currentTarget.value })}
            />
          )}
        </Field>
        <label class="choice">
          <input
            type="checkbox"
            checked={values.value.isMine}
            onChange={({ currentTarget }) => change({ isMine: currentTarget.checked })}
          />
          {form.isMine}
        </label>
        {values.value.isMine ? (
          <label class="choice">
            <input
              type="checkbox"
              checked={values.value.notify}
              onChange={({ currentTarget }) => change({ notify: currentTarget.checked })}
            />
            {form.notify}
          </label>
        ) : null}
        <ProblemNotice error={create.error.value} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isRunning.value}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
