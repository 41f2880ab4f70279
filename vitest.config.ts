import { defineConfig } from 'vitest/config';
import { isLong } from './test/harness/scale.ts';

/** Projects that run one set of files on one backend; the files ask for it with `inject('backend')`. */
function onBackend(name: string, backend: 'embedded' | 'cluster' | 'simulated', include: string[]) {
  return {
    test: {
      name: `${name}-${backend}`,
      include,
      provide: { backend },
      pool: 'forks' as const,
      isolate: false,
      // Bounds for a machine that has better things to do: what is promised within a time is asserted by itself.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      globalSetup: ['test/support/global-setup.ts'],
    },
  };
}

// The models with larger bounds than the unit tests have.
const onlyLong = isLong ? ['test/model/every-interleaving.test.ts'] : [];

export default defineConfig({
  test: {
    // Tests wait for servers and timers more than they reckon: on two processors two workers, not one.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'test/support/**/*.test.ts',
            'test/checkers/**/*.test.ts',
            'test/harness/**/*.test.ts',
            'test/model/publishing-protocol.test.ts',
            'test/model/admin-guard.test.ts',
            'test/model/stream-delivery.test.ts',
            'test/simulation/**/*.test.ts',
          ],
          pool: 'forks',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      onBackend('conformance', 'embedded', ['test/conformance/**/*.test.ts']),
      onBackend('conformance', 'cluster', ['test/conformance/**/*.test.ts']),
      // The ports of the data path alone: rights, sessions and limits are not simulated.
      onBackend('conformance', 'simulated', [
        'test/conformance/delivery-ledger*.test.ts',
        'test/conformance/event-log*.test.ts',
        'test/conformance/hook-queue*.test.ts',
        'test/conformance/run-register.test.ts',
        'test/conformance/set-aside-store.test.ts',
        'test/conformance/store-refusals.test.ts',
        'test/conformance/widget-*.test.ts',
      ]),
      onBackend('processing', 'embedded', ['test/processing/**/*.test.ts']),
      onBackend('processing', 'cluster', ['test/processing/**/*.test.ts']),
      onBackend('api', 'embedded', ['test/api/**/*.test.ts']),
      onBackend('api', 'cluster', ['test/api/**/*.test.ts']),
      {
        test: {
          name: 'scenarios',
          include: ['test/scenarios/**/*.test.ts', ...onlyLong],
          pool: 'forks',
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
