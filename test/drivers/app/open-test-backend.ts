import { inject } from 'vitest';
import type { TestBackend, TestBackendOptions } from './test-backend.ts';

declare module 'vitest' {
  interface ProvidedContext {
    backend: 'embedded' | 'cluster' | 'simulated';
  }
}

/**
 * True if the event log can lose events that the run registry still has. It is false on the embedded backend, where
 * both are tables of one SQLite file. That log has no loss detection, so the suites of loss detection are skipped.
 */
export const logCanLoseEvents = inject('backend') !== 'embedded';

/** Opens the backend of the running vitest project, on its own SQLite file, or its own database. */
export async function openTestBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  if (inject('backend') === 'embedded')
    return (await import('./embedded-test-backend.ts')).openEmbeddedTestBackend(options);
  if (inject('backend') === 'simulated') {
    const { openSimulatedTestBackend } = await import('../../simulation/stores/open-simulated-test-backend.ts');
    return openSimulatedTestBackend(options);
  }
  return (await import('./cluster-test-backend.ts')).openClusterTestBackend(options);
}
