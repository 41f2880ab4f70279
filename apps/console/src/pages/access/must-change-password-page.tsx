import { texts } from '../../texts/texts.ts';
import { PasswordForm } from './password-form.tsx';

/** Shown instead of every page until the user has replaced the password that an admin has chosen. */
export function MustChangePasswordPage() {
  return (
    <main class="sign-in">
      <h1>{texts.access.changePassword}</h1>
      <p class="notice">{texts.access.mustChange}</p>
      <PasswordForm />
    </main>
  );
}
