import type { ComponentType } from 'preact';
import { WidgetPage } from '../pages/widgets/widget-page.tsx';
import { WidgetsPage } from '../pages/widgets/widgets-page.tsx';
import { matchRoute, type RouteParameters } from '../router/match-route.ts';
import type { Permission } from '../session/session.ts';
import { texts } from '../texts/texts.ts';

export interface ConsolePage {
  /** The pattern of its path. */
  readonly path: string;
  readonly title: string;
  /** Who may see it. Null: everybody who is signed in. */
  readonly permission: Permission | null;
  readonly component: ComponentType<RouteParameters>;
  /** Whether the navigation lists it; the letter after `g` leads to it. */
  readonly navigation?: { readonly key: string };
}

/** Every page of the console, in the order of the navigation. */
export const pages: readonly ConsolePage[] = [
  {
    path: '/widgets',
    title: texts.widgets.title,
    permission: 'widgets:read',
    component: WidgetsPage,
    navigation: { key: 'w' },
  },
  {
    path: '/widgets/:id',
    title: texts.widgets.title,
    permission: 'widgets:read',
    component: WidgetPage as ComponentType<RouteParameters>,
  },
];

export function findPage(path: string): { readonly page: ConsolePage; readonly parameters: RouteParameters } | null {
  for (const page of pages) {
    const parameters = matchRoute(page.path, path);
    if (parameters !== null) return { page, parameters };
  }
  return null;
}
