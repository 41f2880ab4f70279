import { formatCount } from '../../parts/format.ts';

export const general = {
  productName: 'Widget Service',
  skipToContent: 'Skip to content',
  mainNavigation: 'Main navigation',
  navigationGroups: { watch: null, connections: 'Connections', administration: 'Administration' },
  menu: 'Menu',
  loading: 'Loading…',
  unreachableSince: (time: string) =>
    `No answer from the service since ${time}. Retrying… What you see may be out of date.`,
  wrongClock: (error: string, isAhead: boolean) =>
    `The clock of this machine is about ${error} ${isAhead ? 'ahead of' : 'behind'} the service's. This page goes by the service's clock.`,
  unknownTimeZone: (name: string) => `This browser has no data of its time zone (${name}). Times are in UTC.`,
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  done: 'Done',
  undo: 'Undo',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Copying is blocked in this browser (it needs HTTPS). Select the text instead.',
  never: 'never',
  none: 'none',
  actions: 'Actions',
  countDead: (count: number) => `${formatCount(count)} dead`,
  actionsOf: (name: string) => `Actions of ${name}`,
  copyId: 'Copy id',
  idCopied: 'Id copied',
  idNotCopied: (id: string) => `Copying is blocked in this browser (it needs HTTPS). The id is ${id}.`,
  requestId: (id: string) => `Request ${id}`,
  signOut: 'Sign out',
  signOutEverywhere: 'Sign out everywhere',
  account: (email: string) => `Account of ${email}`,
  theme: 'Theme',
  timesIn: (zone: string) => `Times in ${zone}`,
  /** What a click does comes second. The first part is what the button shows. */
  changeTimeZone: (shown: string, next: string) => `${shown}: show times in ${next}`,
  themeNames: { system: 'System', light: 'Light', dark: 'Dark' },
  liveStates: {
    loading: 'Loading',
    live: 'Live',
    stale: 'Reconnecting… What you see may be out of date',
    failed: 'Not live',
    closed: 'Not live',
  },
  /** `isAll`: none of the rows that are shown is left, so there may be more. */
  showNew: (count: number, isAll: boolean) => `Show ${count}${isAll ? '+' : ''} new`,
  unreadableItems: (count: number) =>
    `${count === 1 ? '1 item' : `${formatCount(count)} items`} could not be read, and ${count === 1 ? 'is' : 'are'} missing here: what is stored is damaged.`,
  runbook: 'Runbook',
  runbookFile: (name: string) => `Runbook: docs/runbooks/${name}.md`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
  notFoundTitle: 'Page not found',
  notFound: 'Check the address, or go to the start page.',
  toFirstPage: 'Go to start page',
  notPermittedTitle: "You don't have access to this page",
  notPermitted: 'Ask an admin to change your role.',
};

export const failure = {
  title: 'This page has failed',
  text: 'That is a mistake of the console, not yours. Reload the page; if that does not help, report the text below.',
  reload: 'Reload',
};

export const keyboard = {
  openPalette: 'Search or go to…',
  openPaletteKey: /^Mac|^iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K',
  paletteTitle: 'Search or go to',
  paletteSearch: 'Name, label, id, page or action',
  paletteNone: 'No matches',
  paletteResults: 'Matches',
  kinds: {
    recent: 'Recent',
    pages: 'Pages',
    actions: 'Actions',
    widgets: 'Widgets',
    integrations: 'Integrations',
    streams: 'Streams',
    users: 'Users',
    hooks: 'Hooks',
  },
  shownOf: (shown: number, all: number) => `${formatCount(shown)} of ${formatCount(all)}`,
  showAllWidgets: (shown: number, all: number) => `${formatCount(shown)} of ${formatCount(all)}: show all in Widgets`,
  findHook: (id: string) => `Find hook “${id}”`,
  helpTitle: 'Keyboard shortcuts',
  keys: [
    ['Ctrl K', 'Search or go to…'],
    ['/', 'Search this page'],
    ['c', 'Create'],
    ['g o, g w, g e', 'Overview, widgets, events'],
    ['g i, g s, g t', 'Integrations, streams, provision tokens'],
    ['g u, g l', 'Users, audit log'],
    ['j, k, ↓, ↑', 'Move between rows'],
    ['Enter', 'Open the row'],
    ['x', 'Select the row'],
    ['Esc', 'Close'],
    ['?', 'Keyboard shortcuts'],
  ],
} as const;

export const problems = {
  unreachableTitle: "Can't reach the service",
  unreachable: 'The network or the service is down. Your input is kept.',
  failedTitle: 'The console has failed',
  unexpectedTitle: 'Unexpected answer, probably from a proxy',
  invalidTitle: "This can't be sent",
  needAttention: (count: number) => (count === 1 ? '1 field needs attention' : `${count} fields need attention`),
};

export const signIn = {
  title: 'Sign in',
  intro: 'The console for operators: widgets, inbound hooks and event streams, live.',
  ended: 'Your session has expired. Sign in to continue where you left off.',
  email: 'E-mail',
  password: 'Password',
  showPassword: 'Show',
  hidePassword: 'Hide',
  submit: 'Sign in',
  byIdentity: 'Sign in through the identity provider',
  or: 'or',
  unreachableTitle: "Can't reach the service",
  unreachable: 'Retrying automatically.',
  failedTitle: 'You are not signed in.',
  /** By the reason that the service names. */
  failures: {
    'no-role': 'The identity provider gives you no role in this service. Ask its administrators for one.',
    'no-role-claim':
      'The identity provider does not say which role you have: its ID token lacks the claim. Ask the operator of this service; the log of the service names the claim.',
    'no-email': 'The identity provider names no valid e-mail address in its ID token, and a new user needs one.',
    'email-in-use':
      'Another user of this service has your e-mail address, and the identity provider does not say that the address is yours. Ask an admin of this service.',
    disabled: 'Your user is disabled. Ask an admin of this service.',
    'last-admin': 'Your new role would leave the service without an admin. Another admin has to sign in first.',
    'sign-in-refused': 'The identity provider did not sign you in.',
    'sign-in-not-verified':
      'This sign-in was over, or did not belong to this browser: it counts once and for ten minutes. Start it again.',
    'rate-limited': 'There were too many sign-ins from your address. Try again in a minute.',
    'identity-provider-unavailable':
      'The identity provider does not answer as it should. Try again, or tell the operator.',
    'invalid-request': 'The address of the sign-in was malformed or too long. Start it again from here.',
    'not-found': 'This service has no identity provider.',
  } as Readonly<Record<string, string>>,
  otherFailure: 'The service could not finish the sign-in. Try again shortly.',
  firstAdmin: "First start? The first admin's e-mail and password were printed in the terminal.",
};
