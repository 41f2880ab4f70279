import { findTlsWarning } from '@widget-service/shared/config/check-combinations.ts';
import type { ParsedSettings } from '@widget-service/shared/config/parse-settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

/**
 * Opens the configured backend. It loads only the packages of that backend. Rejects with the errors of `openEmbedded`
 * or `openCluster`. `onFatal` is called later, for a fault that only a new process can end.
 */
export async function openBackend(
  { settings, backend, isProduction }: ParsedSettings,
  logger: Logger,
  onFatal: (error: Error) => void,
): Promise<Backend> {
  const onWarning = (message: string, details?: object) => logger.warn(details ?? {}, message);
  if (backend === 'embedded') {
    const { openEmbedded } = await import('@widget-service/embedded/open-embedded.ts');
    return openEmbedded({ ...settings, onWarning, onFatal });
  }
  const tlsWarning = findTlsWarning(settings);
  if (tlsWarning !== null) onWarning(tlsWarning);
  const { openCluster } = await import('@widget-service/cluster/open-cluster.ts');
  const onNotice = (message: string, details?: object) => logger.info(details ?? {}, message);
  // In production, `npm run migrate` builds the indexes before a release: over many documents that takes long.
  return openCluster({ ...settings, migrate: !isProduction, onNotice, onWarning, onFatal });
}

/** What an api process does differently on each backend. */
export interface BackendFacts {
  /** Whether this process also runs the worker's tasks. On the cluster, worker processes run them. */
  readonly processesHooks: boolean;
  /**
   * Whether the service can be started without any settings. Then the process generates a password for the first
   * admin if `ADMIN_PASSWORD` is not set. It prints its addresses when it starts. On the first start it also prints
   * that password and commands to try the service.
   */
  readonly startsWithoutSettings: boolean;
  /** Whether all pods share the rate limits, in a store that can be unreachable. */
  readonly sharesRateLimits: boolean;
}

/** Only this function decides by `Backend.kind`: the rest of the api reads the facts that it returns. */
export function describeBackend(kind: Backend['kind']): BackendFacts {
  const isCluster = kind === 'cluster';
  return {
    processesHooks: !isCluster,
    startsWithoutSettings: !isCluster,
    sharesRateLimits: isCluster,
  };
}
