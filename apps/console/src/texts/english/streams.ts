export const streams = {
  title: 'Streams',
  create: 'Create subscription',
  intro: 'A subscription is a secret URL that opens a stream of events. Give each screen or program its own.',
  empty: 'Create a subscription, and give its URL to the program that follows the events.',
  inspect: 'Watch all events',
  inspector: { title: 'Events' },
  tabsLabel: 'Parts of this subscription',
  tabs: { preview: 'Live preview', code: 'Sample code', open: 'Open streams', settings: 'Settings' },
  newUrl: 'Stream URL (secret)',
  newUrlWarning:
    "Copy the URL now. The service keeps only a hash and can't show it again. If you lose it, rotate the secret.",
  leaveText:
    "Leave without a copy? The URL has not been copied yet. Once you leave this page, it can't be shown again.",
};
