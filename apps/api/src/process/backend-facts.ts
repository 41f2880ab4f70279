import type { Backend } from '@widget-service/shared/ports/backend.ts';

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
