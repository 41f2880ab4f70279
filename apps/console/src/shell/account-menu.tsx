import { Button } from '../parts/button.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useAction } from '../service/use-action.ts';
import { session, signOut } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { openPalette } from './palette/palette.tsx';
import { type Theme, theme, themes } from './theme.ts';

/** Who is signed in, the colours, and the way out. */
export function AccountMenu() {
  const email = session.value?.user.email ?? '';
  const leave = useAction(signOut);
  return (
    <div class="account">
      <p class="account-email" title={email}>
        {email}
      </p>
      <label class="account-theme">
        {texts.general.theme}
        <select
          class="input"
          value={theme.value}
          onChange={({ currentTarget }) => (theme.value = currentTarget.value as Theme)}
        >
          {themes.map((name) => (
            <option key={name} value={name}>
              {texts.general.themeNames[name]}
            </option>
          ))}
        </select>
      </label>
      <Button onClick={openPalette}>{texts.keyboard.openPalette}</Button>
      <Button isBusy={leave.isRunning.value} onClick={() => void leave.run()}>
        {texts.general.signOut}
      </Button>
      <ProblemNotice error={leave.error.value} />
    </div>
  );
}
