import { Activity, Box, Gauge, type IconNode, KeyRound, RadioTower, ScrollText, Users, Webhook } from 'lucide';
import type { ComponentType } from 'preact';
import { AccountPage } from '../pages/access/account-page.tsx';
import { AuditPage } from '../pages/access/audit-page.tsx';
import { TokensPage } from '../pages/access/tokens-page.tsx';
import { UsersPage } from '../pages/access/users-page.tsx';
import { DeadDeliveriesPage } from '../pages/hooks/dead-deliveries-page.tsx';
import { DeliveryPage } from '../pages/hooks/delivery-page.tsx';
import { HandOverPage } from '../pages/hooks/hand-over-page.tsx';
import { HooksPage } from '../pages/hooks/hooks-page.tsx';
import { IntegrationPage } from '../pages/hooks/integration-page.tsx';
import { MappingPage } from '../pages/hooks/mapping-page.tsx';
import { NewSourcePage } from '../pages/hooks/new-source-page.tsx';
import { QuarantinePage } from '../pages/hooks/quarantine-page.tsx';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { EventsPage } from '../pages/streams/events-page.tsx';
import { StreamPage } from '../pages/streams/stream-page.tsx';
import { StreamsPage } from '../pages/streams/streams-page.tsx';
import { WidgetPage } from '../pages/widgets/widget-page.tsx';
import { WidgetsPage } from '../pages/widgets/widgets-page.tsx';
import { matchRoute, type RouteParameters } from '../router/match-route.ts';
import type { Permission } from '../session/session.ts';
import { texts } from '../texts/texts.ts';

/** The groups of the navigation, in their order. */
export const navigationGroups = ['watch', 'connections', 'administration'] as const;

interface PlaceInNavigation {
  readonly group: (typeof navigationGroups)[number];
  readonly icon: IconNode;
  /** The letter that after `g` leads to the page. */
  readonly key: string;
  /** A phone has room for four. */
  readonly isOnPhone?: boolean;
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

type Component = ConsolePage['component'];

/** Every page of the console, in the order of the navigation. */
export const pages: readonly ConsolePage[] = [
  area('/overview', texts.overview.title, 'audit:read', OverviewPage, {
    group: 'watch',
    icon: Gauge,
    key: 'o',
    isOnPhone: true,
  }),
  area('/widgets', texts.widgets.title, 'widgets:read', WidgetsPage, {
    group: 'watch',
    icon: Box,
    key: 'w',
    isOnPhone: true,
  }),
  detail('/widgets/:id', texts.widgets.title, 'widgets:read', WidgetPage),
  area('/streams/events', texts.streams.inspector.title, 'widgets:read', EventsPage, {
    group: 'watch',
    icon: Activity,
    key: 'e',
  }),
  area('/hooks', 'Integrations', 'integrations:manage', HooksPage, {
    group: 'connections',
    icon: Webhook,
    key: 'i',
    isOnPhone: true,
  }),
  detail('/hooks/dead', 'Dead deliveries', 'integrations:manage', DeadDeliveriesPage),
  detail('/hooks/quarantine', 'Quarantine', 'integrations:manage', QuarantinePage),
  detail('/hooks/connect', 'Connect sender', 'integrations:manage', NewSourcePage),
  detail('/hooks/:id/mapping', 'Mapping', 'integrations:manage', MappingPage),
  detail('/hooks/:id/hand-over', 'Hand-over', 'integrations:manage', HandOverPage),
  detail('/hooks/:id', 'Integrations', 'integrations:manage', IntegrationPage),
  detail('/hooks/:id/deliveries/:eventId', 'Delivery', 'integrations:manage', DeliveryPage),
  area('/streams', texts.streams.title, 'subscriptions:manage', StreamsPage, {
    group: 'connections',
    icon: RadioTower,
    key: 's',
    isOnPhone: true,
  }),
  detail('/streams/:id', texts.streams.title, 'subscriptions:manage', StreamPage),
  area('/access/tokens', texts.access.tokens, 'tokens:manage', TokensPage, {
    group: 'connections',
    icon: KeyRound,
    key: 't',
  }),
  area('/access/users', texts.access.users, 'users:manage', UsersPage, {
    group: 'administration',
    icon: Users,
    key: 'u',
  }),
  area('/access/audit', texts.access.audit, 'audit:read', AuditPage, {
    group: 'administration',
    icon: ScrollText,
    key: 'l',
  }),
  detail('/access', texts.access.own, null, AccountPage),
];

/** A page that the navigation lists. */
function area(
  path: string,
  title: string,
  permission: Permission,
  component: Component,
  navigation: PlaceInNavigation,
): ConsolePage {
  return { path, title, permission, component, navigation };
}

function detail(path: string, title: string, permission: Permission | null, component: Component): ConsolePage {
  return { path, title, permission, component };
}

export function findPage(path: string): { readonly page: ConsolePage; readonly parameters: RouteParameters } | null {
  for (const page of pages) {
    const parameters = matchRoute(page.path, path);
    if (parameters !== null) return { page, parameters };
  }
  return null;
}
