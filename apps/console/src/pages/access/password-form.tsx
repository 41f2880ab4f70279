import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../service/use-action.ts';
import { changePassword, session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** Changes the password of the signed-in user. */
export function PasswordForm() {
  const { access } = texts;
  const currentPassword = useSignal('');
  const newPassword = useSignal('');
  const change = useAction(async () => {
    await changePassword({ currentPassword: currentPassword.value, newPassword: newPassword.value });
    currentPassword.value = '';
    newPassword.value = '';
    showToast(access.passwordChanged);
  });
  return (
    <form
      class="narrow"
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        void change.run();
      }}
    >
      {/* Password managers find the account by it. */}
      <input type="hidden" name="email" autoComplete="username" value={session.value?.user.email ?? ''} />
      <Field label={access.currentPassword}>
        {({ id }) => (
          <input
            id={id}
            class="input"
            type="password"
            autoComplete="current-password"
            required
            value={currentPassword.value}
            onInput={({ currentTarget }) => (currentPassword.value = currentTarget.value)}
          />
        )}
      </Field>
      <Field label={access.newPassword} hint={access.newPasswordHint}>
        {({ id, hintId }) => (
          <input
            id={id}
            class="input"
            type="password"
            autoComplete="new-password"
            aria-describedby={hintId}
            required
            value={newPassword.value}
            onInput={({ currentTarget }) => (newPassword.value = currentTarget.value)}
          />
        )}
      </Field>
      <ProblemNotice error={change.error.value} />
      <Button kind="primary" type="submit" isBusy={change.isRunning.value}>
        {access.changePassword}
      </Button>
    </form>
  );
}
