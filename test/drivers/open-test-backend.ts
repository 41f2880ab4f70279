import { inject } from 'vitest';
import type { TestBackend, TestBackendOptions } from './test-backend.ts';

declare module 'vitest' {
  interface ProvidedContext {
    backend: 'embedded' | 'cluster' | 'simulated';
  }
}

/** Opens the backend that the running vitest project is about, on an own file, or an own database and key prefix. */
export async function openTestBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  if (inject('backend') === 'embedded')
    return (await import('./embedded-test-backend.ts')).openEmbeddedTestBackend(options);
  if (inject('backend') === 'simulated') {
    const { openSimulatedTestBackend } = await import('../simulation/stores/open-simulated-test-backend.ts');
    return openSimulatedTestBackend(options);
  }
  return (await import('./cluster-test-backend.ts')).openClusterTestBackend(options);
}
