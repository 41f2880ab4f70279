import { auditEventEntity } from './audit-event.ts';
import { integrationEntity, provisionTokenEntity, subscriptionEntity } from './grant.ts';
import { quarantinedTextEntity } from './quarantined-text.ts';
import { refusalEntity, sampleEntity } from './refused-request.ts';
import { serviceKeyEntity } from './service-key.ts';
import { sessionEntity } from './session.ts';
import { userEntity } from './user.ts';

/** The definitions of all entities, by the name of their collection in `Backend`. */
export const entities = {
  users: userEntity,
  sessions: sessionEntity,
  subscriptions: subscriptionEntity,
  integrations: integrationEntity,
  provisionTokens: provisionTokenEntity,
  auditEvents: auditEventEntity,
  serviceKeys: serviceKeyEntity,
  quarantine: quarantinedTextEntity,
  refusals: refusalEntity,
  samples: sampleEntity,
} as const;
