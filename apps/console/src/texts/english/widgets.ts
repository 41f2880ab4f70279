import { formatCount } from '../../parts/format.ts';

export const widgets = {
  title: 'Widgets',
  create: 'Create a widget',
  search: 'Search by name, label or id',
  state: 'State',
  states: { all: 'All states', active: 'Active', retired: 'Retired' },
  count: (shown: number, all: number) =>
    shown === all ? `${formatCount(all)} widgets` : `${formatCount(shown)} of ${formatCount(all)} widgets`,
  loadingAll: (read: number) => `${formatCount(read)} widgets loaded. Search works once all are loaded.`,
  showNew: (count: number) => (count === 1 ? 'Show 1 new widget' : `Show ${formatCount(count)} new widgets`),
  emptyTitle: 'No widgets yet',
  empty:
    'A widget appears here as soon as somebody creates one: you, a script with a provision token, or a hook of the kind “created”.',
  noMatchTitle: 'No widget matches',
  noMatch: 'Change the search or the state.',
  clearFilters: 'Show all widgets',
  list: 'Widgets, newest first',
  form: {
    title: 'Create a widget',
    name: 'Name',
    nameHint: '1 to 200 characters.',
    labels: 'Labels',
    labelsHint: 'Separated by commas. Streams can be filtered by labels.',
    isMine: 'I own it',
    notify: 'I wish to be notified of its events (stored with the widget; the service sends no notifications)',
    submit: 'Create',
  },
  facts: {
    id: 'Id',
    state: 'State',
    labels: 'Labels',
    version: 'Version',
    owner: 'Owner',
    createdAt: 'Created',
    updatedAt: 'Changed',
    lastEventAt: 'Last event',
    retiredAt: 'Retired',
  },
  history: {
    title: 'History',
    created: 'The widget was created',
    version: (version: number) => `version ${formatCount(version)}`,
    becomes: { active: 'becomes active', retired: 'becomes retired' },
    late: 'late',
    by: (integration: string) => `via ${integration}`,
    showHook: 'Show the hook',
    expired: (from: number, to: number) =>
      from === to
        ? `The hook of version ${formatCount(from)} is no longer kept.`
        : `The hooks of versions ${formatCount(from)} to ${formatCount(to)} are no longer kept.`,
  },
  created: (name: string) => `“${name}” was created.`,
};
