import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { texts } from '../../texts/texts.ts';
import { RoleSelect } from './role-select.tsx';

const emptyUser: { email: string; name: string; role: Schemas['User']['role'] } = {
  email: '',
  name: '',
  role: 'viewer',
};

interface NewUserDialogProperties {
  readonly onCreated: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** The form for a new user. The password is no part of the draft. */
export function NewUserDialog({ onCreated, onClose }: NewUserDialogProperties) {
  const { access, general } = texts;
  const { values, clear } = useDraft('new-user', emptyUser);
  const password = useSignal('');
  const change = (changes: Partial<typeof emptyUser>) => (values.value = { ...values.value, ...changes });
  const create = useAction(async () => {
    const { name, ...others } = values.value;
    await api.POST('/api/v1/users', { body: { ...others, name: name === '' ? null : name, password: password.value } });
    clear();
    onClose();
    await onCreated();
  });
  return (
    <Dialog title={access.createUser} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field label={access.email}>
          {({ id }) => (
            <input
              id={id}
              class="input"
              inputMode="email"
              autoComplete="off"
              required
              value={values.value.email}
              onInput={({ currentTarget }) => change({ email: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={access.name}>
          {({ id }) => (
            <input
              id={id}
              class="input"
              autoComplete="off"
              value={values.value.name}
              onInput={({ currentTarget }) => change({ name: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={access.role}>
          {({ id }) => <RoleSelect id={id} role={values.value.role} onChange={(role) => change({ role })} />}
        </Field>
        <Field label={access.password} hint={access.passwordHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              type="password"
              autoComplete="new-password"
              aria-describedby={hintId}
              required
              value={password.value}
              onInput={({ currentTarget }) => (password.value = currentTarget.value)}
            />
          )}
        </Field>
        <ProblemNotice error={create.error.value} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{general.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isRunning.value}>
            {texts.grants.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
