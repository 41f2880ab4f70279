import { Box, CircleUserRound, Clock, LogOut, Menu, Search } from 'lucide';
import { Icon } from '../parts/button.tsx';
import { formatCount } from '../parts/format.ts';
import { ProblemNotice } from '../parts/messages.tsx';
import { nameTimeZone, timeZone } from '../parts/preferences.ts';
import { Link, path } from '../router/router.tsx';
import { useAction } from '../service/use-service.ts';
import { may, session, signOut } from '../session/session.ts';
import { health } from './health.ts';
import { type ConsolePage, navigationGroups, pages } from './pages.ts';
import { openPalette } from './palette.tsx';

const paletteKey = /^Mac|^iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** The areas of the console that this user may see. A phone shows four of them, and the palette leads to the others. */
export function Navigation() {
  const shown = pages.filter(
    ({ navigation, permission }) => navigation !== undefined && (permission === null || may(permission)),
  );
  const current = findCurrent(shown, path.value);
  return (
    <nav class="navigation" aria-label="Main navigation">
      <Link to="/" class="brand">
        <span class="brand-mark">
          <Icon of={Box} size={14} />
        </span>
        Widget Service
      </Link>
      <button type="button" class="search-button" onClick={openPalette}>
        <Icon of={Search} />
        Search or go to… <kbd class="key-hint">{paletteKey}</kbd>
      </button>
      {Object.entries(navigationGroups).map(([group, title]) => (
        <Group
          key={group}
          title={title}
          shown={shown.filter(({ navigation }) => navigation?.group === group)}
          current={current}
        />
      ))}
      <button type="button" class="navigation-link phone-menu" onClick={openPalette}>
        <Icon of={Menu} />
        Menu
      </button>
      <AccountMenu />
    </nav>
  );
}

function Group({
  title,
  shown,
  current,
}: {
  readonly title: string | null;
  readonly shown: readonly ConsolePage[];
  readonly current: ConsolePage | undefined;
}) {
  if (shown.length === 0) return null;
  return (
    <>
      {title === null ? null : <p class="navigation-group">{title}</p>}
      <ul>
        {shown.map((page) => (
          <li key={page.path} class={page.navigation?.isOnPhone === true ? '' : 'not-on-phone'}>
            <Link to={page.path} class="navigation-link" aria-current={page === current ? 'page' : undefined}>
              {page.navigation === undefined ? null : <Icon of={page.navigation.icon} />}
              {page.title}
              {page.path === '/hooks' ? <DeadCount /> : null}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** How many hooks are dead, beside the integrations that they came from. */
function DeadCount() {
  const count = health.value?.deadHooks ?? 0;
  return count === 0 ? null : <span class="navigation-count">{formatCount(count)} dead</span>;
}

/** The area of a path: of those that contain it, the one with the longest path. */
function findCurrent(areas: readonly ConsolePage[], shown: string): ConsolePage | undefined {
  return areas
    .filter((area) => shown === area.path || shown.startsWith(`${area.path}/`))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

/** Who is signed in, the time zone of what is shown, and the way out. */
function AccountMenu() {
  const email = session.value?.user.email ?? '';
  const leave = useAction(signOut);
  const nextTimeZone = timeZone.value === 'utc' ? 'local' : 'utc';
  return (
    <div class="account">
      <Link to="/access" class="navigation-link" aria-current={path.value === '/access' ? 'page' : undefined}>
        <Icon of={CircleUserRound} />
        <span class="visually-hidden">Your account: </span>
        <span class="account-email">{email}</span>
      </Link>
      <button
        type="button"
        class="navigation-link"
        aria-label={`${nameTimeZone()}: show times in ${nameTimeZone(nextTimeZone)}`}
        onClick={() => (timeZone.value = nextTimeZone)}
      >
        <Icon of={Clock} />
        {nameTimeZone()}
      </button>
      <button type="button" class="navigation-link" aria-busy={leave.isRunning.value} onClick={() => void leave.run()}>
        <Icon of={LogOut} />
        Sign out
      </button>
      <ProblemNotice error={leave.error.value} />
    </div>
  );
}
