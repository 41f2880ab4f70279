import { Box, Search } from 'lucide';
import { useId } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/fields.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemNotice } from '../parts/messages.tsx';
import { path } from '../router/address.ts';
import { Link } from '../router/link.tsx';
import { useAction } from '../service/use-action.ts';
import { may, session, signOut } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { pages } from './pages.ts';
import { openPalette } from './palette.tsx';
import { theme, themes } from './theme.ts';

/** The areas of the console that this user may see. */
export function Navigation() {
  const shown = pages.filter(
    ({ navigation, permission }) => navigation !== undefined && (permission === null || may(permission)),
  );
  return (
    <nav class="navigation" aria-label={texts.general.mainNavigation}>
      <Link to="/" class="brand">
        <span class="brand-mark">
          <Icon of={Box} size={14} />
        </span>
        {texts.general.productName}
      </Link>
      <button type="button" class="search-button" onClick={openPalette}>
        <Icon of={Search} />
        {texts.keyboard.openPalette} <kbd class="key-hint">{texts.keyboard.openPaletteKey}</kbd>
      </button>
      <ul>
        {shown.map(({ path: to, title, navigation }) => (
          <li key={to}>
            <Link to={to} class="navigation-link" aria-current={isWithin(path.value, to) ? 'page' : undefined}>
              {navigation === undefined ? null : <Icon of={navigation.icon} />}
              {title}
            </Link>
          </li>
        ))}
      </ul>
      <AccountMenu />
    </nav>
  );
}

function isWithin(path: string, area: string): boolean {
  return path === area || (area !== '/' && path.startsWith(`${area}/`));
}

/** Who is signed in, the theme, and the way out. */
function AccountMenu() {
  const email = session.value?.user.email ?? '';
  const leave = useAction(signOut);
  const themeId = useId();
  return (
    <div class="account">
      <p class="account-email" title={email}>
        {email}
      </p>
      <label class="account-theme" for={themeId}>
        {texts.general.theme}
        <Select
          id={themeId}
          options={themes.map((name) => [name, texts.general.themeNames[name]] as const)}
          value={theme.value}
          onChange={(next) => (theme.value = next)}
        />
      </label>
      <Button isBusy={leave.isRunning.value} onClick={() => void leave.run()}>
        {texts.general.signOut}
      </Button>
      <ProblemNotice error={leave.error.value} />
    </div>
  );
}
