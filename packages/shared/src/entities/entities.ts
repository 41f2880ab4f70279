import { auditEventEntity } from './audit-event.ts';
import { integrationEntity, provisionTokenEntity, subscriptionEntity } from './grant.ts';
import { quarantinedTextEntity } from './quarantined-text.ts';
import { serviceKeyEntity } from './service-key.ts';
import { personalStreamEntity, sessionEntity } from './session.ts';
import { userEntity } from './user.ts';

/** The definitions of all entities. */
export const entities = [
  userEntity,
  sessionEntity,
  personalStreamEntity,
  subscriptionEntity,
  integrationEntity,
  provisionTokenEntity,
  auditEventEntity,
  serviceKeyEntity,
  quarantinedTextEntity,
] as const;
