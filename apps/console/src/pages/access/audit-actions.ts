import type { Schemas } from '../../service/service.ts';

type Action = Schemas['AuditEvent']['action'];

/** Every action, once. The compiler compares the names with those of the service. */
const listed: Readonly<Record<Action, true>> = {
  'session.created': true,
  'session.failed': true,
  'session.ended': true,
  'personal-stream.issued': true,
  'password.changed': true,
  'user.created': true,
  'user.changed': true,
  'user.unlocked': true,
  'subscription.created': true,
  'subscription.changed': true,
  'subscription.token-rotated': true,
  'subscription.revoked': true,
  'integration.created': true,
  'integration.changed': true,
  'integration.token-rotated': true,
  'integration.revoked': true,
  'provision-token.created': true,
  'provision-token.changed': true,
  'provision-token.token-rotated': true,
  'provision-token.revoked': true,
  'delivery.redriven': true,
  'delivery.discarded': true,
  'quarantined-text.discarded': true,
  'widget.created': true,
  'stream.ended': true,
  'access.refused': true,
};

export const auditActions = Object.keys(listed) as Action[];
