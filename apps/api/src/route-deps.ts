import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Integration, ProvisionToken } from '@widget-service/shared/entities/grant.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ProcessState } from '@widget-service/shared/ports/process-states.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import type { IdentityProvider } from './caller/oidc/identity-provider.ts';
import type { DescribedRoute } from './openapi/described-route.ts';
import type { UseCases } from './process/use-cases.ts';
import type { TokenCache } from './revocation/token-cache.ts';
import type { ResolvedGrant } from './revocation/token-caches.ts';
import type { StreamDirectory } from './streams/stream-directory.ts';
import type { StreamRouteDeps } from './streams/stream-events.ts';

/**
 * Everything that routes use, as one object: the settings, the use cases, and the stores, which a route calls itself
 * where it needs no use case.
 */
export interface RouteDeps extends UseCases, Omit<Backend, 'close' | 'control'> {
  readonly settings: Settings;
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly caches: {
    readonly hooks: Pick<TokenCache<ResolvedGrant<Integration>>, 'recall' | 'resolve'>;
    readonly provisionTokens: Pick<TokenCache<ResolvedGrant<ProvisionToken>>, 'resolve'>;
  };
  readonly stream: StreamRouteDeps;
  readonly streamDirectory: StreamDirectory;
  readonly describePod: () => Promise<ProcessState>;
  /** False: this process processes hooks itself. */
  readonly hasWorkers: boolean;
  /** Null: nobody signs in through a provider. */
  readonly identityProvider: IdentityProvider | null;
  /** Complete once all routes are registered. */
  readonly describedRoutes: readonly DescribedRoute[];
}
