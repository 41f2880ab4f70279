import type { Backend } from '@widget-service/shared/ports/backend.ts';

/** What an api process does differently on each backend. */
export interface Deployment {
  /** For the log. */
  readonly backend: Backend['kind'];
  /** Whether this process also runs the worker's tasks. On the cluster, worker processes run them. */
  readonly processesHooks: boolean;
  /** Whether the process generates a password for the first admin if `ADMIN_PASSWORD` is not set, and prints it. */
  readonly generatesAdminPassword: boolean;
  /** Whether the process prints its addresses when it starts. On the first start it also prints commands to try it. */
  readonly printsFirstMinute: boolean;
  /** Whether all pods share the rate limits, in a store that can be unreachable. */
  readonly sharesRateLimits: boolean;
}

/** Only this function decides by `Backend.kind`: the rest of the api reads the facts that it returns. */
export function describeDeployment(kind: Backend['kind']): Deployment {
  const isCluster = kind === 'cluster';
  return {
    backend: kind,
    processesHooks: !isCluster,
    generatesAdminPassword: !isCluster,
    printsFirstMinute: !isCluster,
    sharesRateLimits: isCluster,
  };
}
