import type { ComponentType } from 'preact';
import { AccountPage } from '../pages/access/account-page.tsx';
import { AuditPage } from '../pages/access/audit-page.tsx';
import { TokensPage } from '../pages/access/tokens-page.tsx';
import { UsersPage } from '../pages/access/users-page.tsx';
import { DeadDeliveriesPage } from '../pages/hooks/dead-deliveries-page.tsx';
import { DeliveryPage } from '../pages/hooks/delivery-page.tsx';
import { HandOverPage } from '../pages/hooks/hand-over-page.tsx';
import { HooksPage, IntegrationPage } from '../pages/hooks/integration-pages.tsx';
import { QuarantinePage } from '../pages/hooks/quarantine-page.tsx';
import { MappingPage, NewSourcePage } from '../pages/hooks/source-pages.tsx';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { EventsPage } from '../pages/streams/live-events.tsx';
import { StreamPage, StreamsPage } from '../pages/streams/stream-pages.tsx';
import { WidgetPage } from '../pages/widgets/widget-page.tsx';
import { WidgetsPage } from '../pages/widgets/widgets-page.tsx';
import { matchRoute } from '../router/match-route.ts';
import type { RouteParameters } from '../router/router.tsx';
import { may, type Permission } from '../session/session.ts';

export interface ConsolePage {
  /** The pattern of its path. */
  readonly path: string;
  readonly title: string;
  /** Who may see it. Null: everybody who is signed in. */
  readonly permission: Permission | null;
  readonly component: ComponentType<RouteParameters>;
}

/** Every page of the console, in the order of the palette. */
const pages: readonly ConsolePage[] = [
  page('/overview', 'Overview', 'audit:read', OverviewPage),
  page('/widgets', 'Widgets', 'widgets:read', WidgetsPage),
  page('/widgets/:id', 'Widgets', 'widgets:read', WidgetPage),
  page('/streams/events', 'Events', 'widgets:read', EventsPage),
  page('/hooks', 'Integrations', 'integrations:manage', HooksPage),
  page('/hooks/dead', 'Dead deliveries', 'integrations:manage', DeadDeliveriesPage),
  page('/hooks/quarantine', 'Quarantine', 'integrations:manage', QuarantinePage),
  page('/hooks/connect', 'Connect sender', 'integrations:manage', NewSourcePage),
  page('/hooks/:id/mapping', 'Mapping', 'integrations:manage', MappingPage),
  page('/hooks/:id/hand-over', 'Hand-over', 'integrations:manage', HandOverPage),
  page('/hooks/:id', 'Integrations', 'integrations:manage', IntegrationPage),
  page('/hooks/:id/deliveries/:eventId', 'Delivery', 'integrations:manage', DeliveryPage),
  page('/streams', 'Streams', 'subscriptions:manage', StreamsPage),
  page('/streams/:id', 'Streams', 'subscriptions:manage', StreamPage),
  page('/access/tokens', 'Provision tokens', 'tokens:manage', TokensPage),
  page('/access/users', 'Users', 'users:manage', UsersPage),
  page('/access/audit', 'Audit log', 'audit:read', AuditPage),
  page('/access', 'Your account', null, AccountPage),
];

function page(
  path: string,
  title: string,
  permission: Permission | null,
  component: ConsolePage['component'],
): ConsolePage {
  return { path, title, permission, component };
}

/** The pages with a fixed address that this user may see. */
export function listPages(): readonly ConsolePage[] {
  return pages.filter(({ path, permission }) => !path.includes(':') && (permission === null || may(permission)));
}

export function findPage(path: string): { readonly page: ConsolePage; readonly parameters: RouteParameters } | null {
  for (const page of pages) {
    const parameters = matchRoute(page.path, path);
    if (parameters !== null) return { page, parameters };
  }
  return null;
}
