import { nameTimeZone, timeZone, timeZones } from '../parts/time-zone.ts';
import { goTo, path } from '../router/address.ts';
import { may, type Permission } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { activateShortcut } from './activate-shortcut.ts';
import { pages } from './pages.ts';
import type { PaletteEntry } from './palette-search.ts';
import { theme, themes } from './theme.ts';

/** What can be created: on which page, and who may. */
const creations: readonly (readonly [label: string, page: string, permission: Permission])[] = [
  [texts.widgets.create, '/widgets', 'widgets:create'],
  ['Create integration', '/hooks', 'integrations:manage'],
  [texts.streams.create, '/streams', 'subscriptions:manage'],
  [texts.access.createToken, '/access/tokens', 'tokens:manage'],
  [texts.access.createUser, '/access/users', 'users:manage'],
];

/** The pages that this user may see. */
export function listPages(): PaletteEntry[] {
  return pages
    .filter(({ path, permission }) => !path.includes(':') && (permission === null || may(permission)))
    .map(({ path, title }) => ({ id: '', name: title, labels: [], target: path }));
}

/** What this user may do from every page. */
export function listActions(): PaletteEntry[] {
  const creating = creations
    .filter(([, , permission]) => may(permission))
    .map(([name, page]) => ({ id: '', name, labels: [], target: () => createOn(page) }));
  const theming = themes.map((name) => ({
    id: '',
    name: `${texts.general.theme}: ${texts.general.themeNames[name]}`,
    labels: [],
    target: () => {
      theme.value = name;
    },
  }));
  const zoning = timeZones.map((zone) => ({
    id: '',
    name: texts.general.timesIn(nameTimeZone(zone)),
    labels: [],
    target: () => {
      timeZone.value = zone;
    },
  }));
  return [...creating, ...theming, ...zoning];
}

/** Opens the dialog of the page that creates something. On the way there, the address says so: see `shell.tsx`. */
function createOn(page: string): void {
  if (path.peek() === page) activateShortcut('c');
  else goTo(`${page}?new`);
}
