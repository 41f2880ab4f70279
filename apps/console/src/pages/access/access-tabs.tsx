import { path } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import { may, type Permission } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

const tabs: readonly { readonly to: string; readonly label: string; readonly permission: Permission | null }[] = [
  { to: '/access/users', label: texts.access.tabs.users, permission: 'users:manage' },
  { to: '/access/tokens', label: texts.access.tabs.tokens, permission: 'tokens:manage' },
  { to: '/access/audit', label: texts.access.tabs.audit, permission: 'audit:read' },
  { to: '/access', label: texts.access.tabs.own, permission: null },
];

/** The pages of the area "Access" that this user may see. */
export function AccessTabs() {
  return (
    <nav class="tabs" aria-label={texts.access.title}>
      {tabs.map(({ to, label, permission }) =>
        permission !== null && !may(permission) ? null : (
          <Link key={to} to={to} class="tab" aria-current={path.value === to ? 'page' : undefined}>
            {label}
          </Link>
        ),
      )}
    </nav>
  );
}
