import type { Backend } from '@widget-service/shared/ports/backend.ts';

/** What an api process does differently on each backend. */
export interface Deployment {
  /** Whether this process also runs the worker's tasks. On the cluster, worker processes run them. */
  readonly processesHooks: boolean;
  /**
   * Whether a person may start the service without any settings. Then the process generates a password for the first
   * admin if `ADMIN_PASSWORD` is not set. It prints its addresses when it starts, and on the first start also that
   * password and commands to try it.
   */
  readonly printsFirstMinute: boolean;
  /** Whether all pods share the rate limits, in a store that can be unreachable. */
  readonly sharesRateLimits: boolean;
}

/** Only this function decides by `Backend.kind`: the rest of the api reads the facts that it returns. */
export function describeDeployment(kind: Backend['kind']): Deployment {
  const isCluster = kind === 'cluster';
  return {
    processesHooks: !isCluster,
    printsFirstMinute: !isCluster,
    sharesRateLimits: isCluster,
  };
}
