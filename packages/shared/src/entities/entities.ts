import { auditEventEntity } from './audit-event.ts';
import { integrationEntity, provisionTokenEntity, subscriptionEntity } from './grant.ts';
import { quarantinedTextEntity } from './quarantined-text.ts';
import { refusalEntity, sampleEntity } from './refused-request.ts';
import { serviceKeyEntity } from './service-key.ts';
import { sessionEntity } from './session.ts';
import { userEntity } from './user.ts';

/** The definitions of all entities. */
export const entities = [
  userEntity,
  sessionEntity,
  subscriptionEntity,
  integrationEntity,
  provisionTokenEntity,
  auditEventEntity,
  serviceKeyEntity,
  quarantinedTextEntity,
  refusalEntity,
  sampleEntity,
] as const;
