import {
  Activity,
  Box,
  CircleUserRound,
  Clock,
  Gauge,
  type IconNode,
  KeyRound,
  LogOut,
  Menu,
  RadioTower,
  ScrollText,
  Search,
  Users,
  Webhook,
} from 'lucide';
import { Icon } from '../parts/button.tsx';
import { formatCount } from '../parts/format.ts';
import { ProblemNotice } from '../parts/messages.tsx';
import { nameTimeZone, timeZone } from '../parts/preferences.ts';
import { Link, path } from '../router/router.tsx';
import { useAction } from '../service/use-service.ts';
import { session, signOut } from '../session/session.ts';
import { health } from './health.ts';
import { listPages } from './pages.ts';
import { openPalette } from './palette.tsx';

const paletteKey = /^Mac|^iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

type Area = readonly [path: string, icon: IconNode];

/** The groups of areas with their titles. Empty: the group needs none. */
const groups: Readonly<Record<string, readonly Area[]>> = {
  '': [
    ['/overview', Gauge],
    ['/widgets', Box],
    ['/streams/events', Activity],
  ],
  Connections: [
    ['/hooks', Webhook],
    ['/streams', RadioTower],
    ['/access/tokens', KeyRound],
  ],
  Administration: [
    ['/access/users', Users],
    ['/access/audit', ScrollText],
  ],
};
/** A phone has room for four. */
const phonePaths = ['/overview', '/widgets', '/hooks', '/streams'];

/** The areas of the console that this user may see. A phone shows four of them, and the palette leads to the others. */
export function Navigation() {
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
      {Object.entries(groups).map(([title, areas]) => (
        <Group key={title} title={title} areas={areas} />
      ))}
      <button type="button" class="navigation-link phone-menu" onClick={openPalette}>
        <Icon of={Menu} />
        Menu
      </button>
      <AccountMenu />
    </nav>
  );
}

function Group({ title, areas }: { readonly title: string; readonly areas: readonly Area[] }) {
  const titles = new Map(listPages().map((page) => [page.path, page.title]));
  const shown = areas.filter(([area]) => titles.has(area));
  const current = findCurrent();
  if (shown.length === 0) return null;
  return (
    <>
      {title === '' ? null : <p class="navigation-group">{title}</p>}
      <ul>
        {shown.map(([area, icon]) => (
          <li key={area} class={phonePaths.includes(area) ? '' : 'not-on-phone'}>
            <Link to={area} class="navigation-link" aria-current={area === current ? 'page' : undefined}>
              <Icon of={icon} />
              {titles.get(area)}
              {area === '/hooks' ? <DeadCount /> : null}
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

/** The area of the shown page: of those that contain its path, the one with the longest path. */
function findCurrent(): string | undefined {
  const paths = Object.values(groups).flatMap((areas) => areas.map(([area]) => area));
  return paths
    .filter((area) => path.value === area || path.value.startsWith(`${area}/`))
    .sort((one, other) => other.length - one.length)[0];
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
