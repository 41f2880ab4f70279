import { path } from '../router/address.ts';
import { Link } from '../router/link.tsx';
import { may } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { pages } from './pages.ts';

/** The areas of the console that this user may see. */
export function Navigation() {
  const shown = pages.filter(
    ({ navigation, permission }) => navigation !== undefined && (permission === null || may(permission)),
  );
  return (
    <nav class="navigation" aria-label={texts.general.mainNavigation}>
      <Link to="/" class="brand">
        {texts.general.productName}
      </Link>
      <ul>
        {shown.map(({ path: to, title }) => (
          <li key={to}>
            <Link to={to} class="navigation-link" aria-current={isWithin(path.value, to) ? 'page' : undefined}>
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
