import { type Signal, useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Field, Select, TextField } from '../../parts/fields.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { generatePassword } from './generate-password.ts';
import type { Invitation } from './invitation-dialog.tsx';
import { roleOptions } from './role-options.ts';

const emptyUser: { email: string; name: string; role: Schemas['User']['role'] } = {
  email: '',
  name: '',
  role: 'viewer',
};

interface NewUserDialogProperties {
  readonly onCreated: (invitation: Invitation) => void;
  readonly onClose: () => void;
}

/** The form for a new user. The draft does not hold the password. */
export function NewUserDialog({ onCreated, onClose }: NewUserDialogProperties) {
  const { access, grants } = texts;
  const { values, clear } = useDraft('new-user', emptyUser, ['email', 'name', 'role']);
  const password = useSignal('');
  const change = (changes: Partial<typeof emptyUser>) => (values.value = { ...values.value, ...changes });
  const create = async () => {
    const { name, ...others } = values.value;
    const body = { ...others, name: name === '' ? null : name, password: password.value };
    const user = await api.POST('/api/v1/users', { body });
    clear();
    onClose();
    onCreated({ user, password: body.password });
  };
  return (
    <FormDialog title={access.createUser} submitLabel={grants.create} onSubmit={create} onClose={onClose}>
      <TextField
        label={access.email}
        pointer="/email"
        type="email"
        autoComplete="off"
        required
        value={values.value.email}
        onInput={(email) => change({ email })}
      />
      <TextField
        label={access.name}
        pointer="/name"
        autoComplete="off"
        value={values.value.name}
        onInput={(name) => change({ name })}
      />
      <Field label={access.role}>
        {({ id }) => (
          <Select
            id={id}
            isShort
            options={roleOptions}
            value={values.value.role}
            onChange={(role) => change({ role })}
          />
        )}
      </Field>
      <OneTimePasswordField value={password} />
    </FormDialog>
  );
}

/** A password that is shown again when the user is created, and that the user replaces. */
function OneTimePasswordField({ value }: { readonly value: Signal<string> }) {
  const { access } = texts;
  return (
    <Field label={access.oneTimePassword} hint={access.oneTimePasswordHint} pointer="/password">
      {({ id, hintId, isWrong }) => (
        <span class="input-with-button">
          <input
            id={id}
            class="input"
            minLength={12}
            maxLength={128}
            autoComplete="off"
            spellcheck={false}
            required
            aria-describedby={hintId}
            aria-invalid={isWrong}
            value={value.value}
            onInput={({ currentTarget }) => (value.value = currentTarget.value)}
          />
          <Button onClick={() => (value.value = generatePassword())}>{access.generate}</Button>
        </span>
      )}
    </Field>
  );
}
