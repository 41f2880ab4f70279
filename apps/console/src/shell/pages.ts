import { Activity, Box, Gauge, type IconNode, KeyRound, RadioTower, ScrollText, Users, Webhook } from 'lucide';
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
import { EventsPage } from '../pages/streams/events-page.tsx';
import { StreamPage, StreamsPage } from '../pages/streams/stream-pages.tsx';
import { WidgetPage } from '../pages/widgets/widget-page.tsx';
import { WidgetsPage } from '../pages/widgets/widgets-page.tsx';
import { matchRoute, type RouteParameters } from '../router/match-route.ts';
import type { Permission } from '../session/session.ts';

/** The groups of the navigation with their titles, in their order. Null: the group needs none. */
export const navigationGroups = { watch: null, connections: 'Connections', administration: 'Administration' } as const;

interface PlaceInNavigation {
  readonly group: keyof typeof navigationGroups;
  readonly icon: IconNode;
  /** A phone has room for four. */
  readonly isOnPhone?: boolean;
  /** What the page creates, and who may. The button has `data-creates`. */
  readonly creates?: readonly [label: string, permission: Permission];
}

export interface ConsolePage {
  /** The pattern of its path. */
  readonly path: string;
  readonly title: string;
  /** Who may see it. Null: everybody who is signed in. */
  readonly permission: Permission | null;
  readonly component: ComponentType<RouteParameters>;
  /** If the navigation lists it. */
  readonly navigation?: PlaceInNavigation;
}

/** Every page of the console, in the order of the navigation. */
export const pages: readonly ConsolePage[] = [
  page('/overview', 'Overview', 'audit:read', OverviewPage, { group: 'watch', icon: Gauge, isOnPhone: true }),
  page('/widgets', 'Widgets', 'widgets:read', WidgetsPage, {
    group: 'watch',
    icon: Box,
    isOnPhone: true,
    creates: ['Create widget', 'widgets:create'],
  }),
  page('/widgets/:id', 'Widgets', 'widgets:read', WidgetPage),
  page('/streams/events', 'Events', 'widgets:read', EventsPage, { group: 'watch', icon: Activity }),
  page('/hooks', 'Integrations', 'integrations:manage', HooksPage, {
    group: 'connections',
    icon: Webhook,
    isOnPhone: true,
    creates: ['Create integration', 'integrations:manage'],
  }),
  page('/hooks/dead', 'Dead deliveries', 'integrations:manage', DeadDeliveriesPage),
  page('/hooks/quarantine', 'Quarantine', 'integrations:manage', QuarantinePage),
  page('/hooks/connect', 'Connect sender', 'integrations:manage', NewSourcePage),
  page('/hooks/:id/mapping', 'Mapping', 'integrations:manage', MappingPage),
  page('/hooks/:id/hand-over', 'Hand-over', 'integrations:manage', HandOverPage),
  page('/hooks/:id', 'Integrations', 'integrations:manage', IntegrationPage),
  page('/hooks/:id/deliveries/:eventId', 'Delivery', 'integrations:manage', DeliveryPage),
  page('/streams', 'Streams', 'subscriptions:manage', StreamsPage, {
    group: 'connections',
    icon: RadioTower,
    isOnPhone: true,
    creates: ['Create subscription', 'subscriptions:manage'],
  }),
  page('/streams/:id', 'Streams', 'subscriptions:manage', StreamPage),
  page('/access/tokens', 'Provision tokens', 'tokens:manage', TokensPage, {
    group: 'connections',
    icon: KeyRound,
    creates: ['Create provision token', 'tokens:manage'],
  }),
  page('/access/users', 'Users', 'users:manage', UsersPage, {
    group: 'administration',
    icon: Users,
    creates: ['Create user', 'users:manage'],
  }),
  page('/access/audit', 'Audit log', 'audit:read', AuditPage, { group: 'administration', icon: ScrollText }),
  page('/access', 'Your account', null, AccountPage),
];

function page(
  path: string,
  title: string,
  permission: Permission | null,
  component: ConsolePage['component'],
  navigation?: PlaceInNavigation,
): ConsolePage {
  return { path, title, permission, component, ...(navigation === undefined ? {} : { navigation }) };
}

export function findPage(path: string): { readonly page: ConsolePage; readonly parameters: RouteParameters } | null {
  for (const page of pages) {
    const parameters = matchRoute(page.path, path);
    if (parameters !== null) return { page, parameters };
  }
  return null;
}
