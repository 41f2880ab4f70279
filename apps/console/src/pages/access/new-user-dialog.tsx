import { useSignal } from '@preact/signals';
import { Button, CopyButton } from '../../parts/button.tsx';
import { Dialog, FormDialog } from '../../parts/dialog.tsx';
import { Code } from '../../parts/facts.tsx';
import { Field, Select, TextField } from '../../parts/fields.tsx';
import { consoleRoot } from '../../service/page-settings.ts';
import { api, type Schemas } from '../../service/service.ts';
import { generatePassword, roles, toPersonName } from './describe-user.ts';

/** A new user, with the password that an admin chose. */
export interface Invitation {
  readonly user: Schemas['User'];
  readonly password: string;
}

interface NewUserDialogProperties {
  readonly onCreated: (invitation: Invitation) => void;
  readonly onClose: () => void;
}

/** The form for a new user. */
export function NewUserDialog({ onCreated, onClose }: NewUserDialogProperties) {
  const email = useSignal('');
  const name = useSignal('');
  const role = useSignal<Schemas['User']['role']>('viewer');
  /** It is shown again when the user is created, and the user replaces it. */
  const password = useSignal('');
  const create = async () => {
    const chosen = { email: email.value, role: role.value, password: password.value };
    const user = await api.POST('/api/v1/users', { body: { ...chosen, name: name.value === '' ? null : name.value } });
    onClose();
    onCreated({ user, password: chosen.password });
  };
  return (
    <FormDialog title="Create user" submitLabel="Create" onSubmit={create} onClose={onClose}>
      <TextField
        label="E-mail"
        pointer="/email"
        type="email"
        autoComplete="off"
        required
        value={email.value}
        onInput={(text) => (email.value = text)}
      />
      <TextField
        label="Name"
        pointer="/name"
        autoComplete="off"
        value={name.value}
        onInput={(text) => (name.value = text)}
      />
      <Field label="Role">
        {({ id }) => (
          <Select id={id} isShort options={roles} value={role.value} onChange={(next) => (role.value = next)} />
        )}
      </Field>
      <Field
        label="One-time password"
        hint="12 to 128 characters, for 7 days. They'll choose their own at first sign-in."
        pointer="/password"
      >
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
              value={password.value}
              onInput={({ currentTarget }) => (password.value = currentTarget.value)}
            />
            <Button onClick={() => (password.value = generatePassword())}>Generate</Button>
          </span>
        )}
      </Field>
    </FormDialog>
  );
}

interface InvitationDialogProperties {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** Shows once what the new user needs to sign in. Only its button closes it: the password is nowhere else. */
export function InvitationDialog({ invitation: { user, password }, onClose }: InvitationDialogProperties) {
  const name = toPersonName(user);
  const message = `You have an account in the Widget Service console.

Address: ${consoleRoot.href}
E-mail: ${user.email}
One-time password: ${password}

Sign in within 7 days. You will then choose your own password.`;
  return (
    <Dialog title={`${name} can sign in now`} onClose={onClose} canDismiss={false}>
      <p class="notice notice-warning">
        Send this message now. The service keeps only a hash of the password and can't show it again.
      </p>
      <Code>{message}</Code>
      <div class="dialog-actions">
        <CopyButton text={message} label={`Copy message for ${name}`} />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
