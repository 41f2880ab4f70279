export const general = {
  close: 'Close',
  none: 'none',
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
