import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createFindStreamRight, createStreamRightCache } from '../auth/find-stream-right.ts';
import { createGrantCache } from '../auth/grant-cache.ts';
import { RightsKnowledge } from '../auth/rights-knowledge.ts';
import { createControl } from './control.ts';
import type { Hub } from './hub.ts';
import { createLookUpRight } from './look-up-right.ts';

export interface OpenControlDeps {
  readonly backend: Pick<
    Backend,
    'control' | 'subscriptions' | 'integrations' | 'provisionTokens' | 'personalStreams' | 'sessions' | 'users'
  >;
  readonly hub: Pick<Hub, 'rights' | 'reconsider'>;
  readonly sessionIdleMs: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export type PodControl = ReturnType<typeof openControl>;

/** What the pod remembers of tokens, together with the tasks that keep it, and the open streams, in step with the stores. */
export function openControl({ backend, hub, sessionIdleMs, clock, logger }: OpenControlDeps) {
  const { control, subscriptions, integrations, provisionTokens, personalStreams, sessions, users } = backend;
  const rightDeps = { subscriptions, personalStreams, sessions, users, clock, sessionIdleMs };
  const knowledge = new RightsKnowledge(clock);
  const cacheDeps = { clock, isCurrent: () => knowledge.isCurrent() };
  const caches = {
    streams: createStreamRightCache({ ...rightDeps, ...cacheDeps }),
    hooks: createGrantCache(integrations, cacheDeps),
    provisionTokens: createGrantCache(provisionTokens, cacheDeps),
  };
  const lookUp = createLookUpRight({ find: createFindStreamRight(rightDeps), subscriptions, clock });
  return { caches, ...createControl({ control, caches, knowledge, streams: hub, lookUp, clock, logger }) };
}
