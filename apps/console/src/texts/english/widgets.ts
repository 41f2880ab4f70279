import { formatCount } from '../../parts/format.ts';

const countWidgets = (count: number) => (count === 1 ? '1 widget' : `${formatCount(count)} widgets`);

export const widgets = {
  title: 'Widgets',
  create: 'Create widget',
  search: 'Search by name, label or id',
  state: 'State',
  order: 'Order',
  orders: { newest: 'Newest first', updated: 'Recently updated first', name: 'By name' },
  states: { all: 'All states', active: 'Active', retired: 'Retired' },
  count: (shown: number, all: number) =>
    shown === all ? countWidgets(all) : `${formatCount(shown)} of ${formatCount(all)} widgets`,
  loadingAll: (read: number) => `Loading widgets… ${formatCount(read)} so far. You can search once all are loaded.`,
  showNew: (count: number) => (count === 1 ? 'Show 1 new widget' : `Show ${formatCount(count)} new widgets`),
  emptyTitle: 'No widgets yet',
  empty:
    'A widget appears here as soon as someone creates one: you, a script with a provision token, or a hook of the kind “created”.',
  noMatchTitle: (search: string) => (search === '' ? 'No widgets match' : `No widgets match “${search}”`),
  noMatch: 'Check the spelling, the label or the state.',
  clearFilters: 'Clear filters',
  listTitles: {
    newest: 'Widgets, newest first',
    updated: 'Widgets, recently updated first',
    name: 'Widgets by name',
  },
  form: {
    title: 'Create widget',
    name: 'Name',
    nameHint: 'At most 200 characters.',
    labels: 'Labels',
    labelsHint: 'Separated by commas. Streams can be filtered by labels.',
    isMine: 'Make me the owner',
    notify: 'Notify owner (a flag for other systems; this service sends nothing)',
    submit: 'Create',
  },
  facts: {
    id: 'Id',
    version: 'Version',
    owner: 'Owner',
    createdAt: 'Created',
    updatedAt: 'Updated',
    lastEventAt: 'Last event',
    retiredAt: 'Retired',
  },
  activity: 'Audit log',
  history: {
    title: 'History',
    created: 'Created',
    version: (version: number) => `version ${formatCount(version)}`,
    shortVersion: (version: number) => `v${formatCount(version)}`,
    becomes: { active: 'became active', retired: 'became retired' },
    alreadyRetired: 'was already retired',
    late: 'arrived late',
    noChanges: 'no values changed',
    moreChanges: (count: number) => `, ${formatCount(count)} more`,
    noPayload: 'None, or too long to list here.',
    showHook: 'View hook',
    expired: (from: number, to: number) =>
      from === to
        ? `Version ${formatCount(from)} is past retention.`
        : `Versions ${formatCount(from)} to ${formatCount(to)} are past retention.`,
  },
  created: (name: string) => `“${name}” was created.`,
};
