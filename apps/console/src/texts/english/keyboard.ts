export const keyboard = {
  openPalette: 'Go to… (Ctrl K)',
  paletteTitle: 'Go to',
  paletteSearch: 'A page, an action, or the name of a widget',
  paletteNone: 'Nothing matches.',
  paletteResults: 'Matches',
  kinds: { page: 'Page', action: 'Action', widget: 'Widget' },
  helpTitle: 'Keys',
  keys: [
    ['Ctrl K', 'Go to a page, an action or a widget'],
    ['/', 'Search'],
    ['c', 'Create'],
    ['g o, g w, g s, g h, g a', 'Overview, widgets, streams, hooks, access'],
    ['j, k, ↓, ↑', 'Next and previous row of a list'],
    ['Enter', 'Open the row'],
    ['Esc', 'Close'],
    ['?', 'These keys'],
  ],
} as const;
