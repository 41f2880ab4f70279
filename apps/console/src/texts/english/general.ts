export const general = {
  close: 'Close',
  none: 'none',
  liveStates: {
    loading: 'Loading',
    live: 'Live',
    stale: 'Reconnecting… What you see may be out of date',
    failed: 'Not live',
    closed: 'Not live',
  },
};

export const grants = {
  emptyTitle: 'None yet',
  createdAt: 'Created',
  expires: 'Expires',
  previousUntil: 'The old secret is valid until',
  signingSecret: 'Signing secret',
  copyLines: 'Copy code',
};

export const access = { activity: 'Activity' };
