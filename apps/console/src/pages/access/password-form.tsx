import { useSignal } from '@preact/signals';
import { ActionForm } from '../../parts/action-form.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields.tsx';
import { showToast } from '../../parts/messages.tsx';
import { useAction } from '../../service/use-action.ts';
import { changePassword, session } from '../../session/session.ts';

/** Shown instead of every page until the user has replaced the password that an admin chose. */
export function MustChangePasswordPage() {
  return (
    <main class="sign-in">
      <h1>Change password</h1>
      <p class="notice">Choose your own password to continue.</p>
      <PasswordForm />
    </main>
  );
}

/** Changes the password of the signed-in user. */
export function PasswordForm() {
  const currentPassword = useSignal('');
  const newPassword = useSignal('');
  const change = useAction(async () => {
    await changePassword({ currentPassword: currentPassword.value, newPassword: newPassword.value });
    currentPassword.value = '';
    newPassword.value = '';
    showToast('Password changed. Your other sessions have ended.');
  });
  return (
    <ActionForm
      class="narrow"
      action={change}
      end={
        <Button kind="primary" type="submit" isBusy={change.isRunning.value}>
          Change password
        </Button>
      }
    >
      {/* Password managers find the account by it. */}
      <input type="hidden" name="email" autoComplete="username" value={session.value?.user.email ?? ''} />
      <TextField
        label="Current password"
        pointer="/currentPassword"
        type="password"
        autoComplete="current-password"
        required
        value={currentPassword.value}
        onInput={(text) => (currentPassword.value = text)}
      />
      <TextField
        label="New password"
        hint="12 to 128 characters. All your other sessions end."
        pointer="/newPassword"
        type="password"
        minLength={12}
        maxLength={128}
        autoComplete="new-password"
        required
        value={newPassword.value}
        onInput={(text) => (newPassword.value = text)}
      />
    </ActionForm>
  );
}
