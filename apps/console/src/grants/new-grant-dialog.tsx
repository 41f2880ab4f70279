import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useDraft } from '../parts/use-draft.ts';
import { useAction } from '../service/use-action.ts';
import { texts } from '../texts/texts.ts';
import type { IssuedGrant } from './grant-kind.ts';

/** What every new grant has. `expiresAt` is null for no end. */
interface NewGrant {
  readonly name: string;
  readonly expiresAt: string | null;
}

interface NewGrantDialogProperties {
  readonly title: string;
  /** Names the draft of the form. */
  readonly draftName: string;
  /** Further fields. */
  readonly children?: ComponentChildren;
  readonly onCreate: (grant: NewGrant) => Promise<IssuedGrant>;
  readonly onCreated: (issued: IssuedGrant) => void;
  readonly onClose: () => void;
}

/** The form for a new grant. */
export function NewGrantDialog(properties: NewGrantDialogProperties) {
  const { title, draftName, children, onCreate, onCreated, onClose } = properties;
  const { grants, general } = texts;
  const { values, clear } = useDraft(draftName, { name: '', expires: '' });
  const create = useAction(async () => {
    const { name, expires } = values.value;
    const issued = await onCreate({ name, expiresAt: expires === '' ? null : new Date(expires).toISOString() });
    clear();
    onClose();
    onCreated(issued);
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field label={grants.name} hint={grants.nameHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              aria-describedby={hintId}
              required
              value={values.value.name}
              onInput={({ currentTarget }) => (values.value = { ...values.value, name: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={grants.expires} hint={grants.expiresHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              type="datetime-local"
              aria-describedby={hintId}
              value={values.value.expires}
              onInput={({ currentTarget }) => (values.value = { ...values.value, expires: currentTarget.value })}
            />
          )}
        </Field>
        {children}
        <ProblemNotice error={create.error.value} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{general.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isRunning.value}>
            {grants.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
