import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { isLong } from './test/faults/scale.ts';

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
      globalSetup: ['test/runners/global-setup.ts'],
    },
  };
}

/** Real processes, real servers, faults. */
function scenarios(name: string, options: TestProjectInlineConfiguration['test']) {
  return { test: { name, pool: 'forks' as const, testTimeout: 240_000, hookTimeout: 120_000, ...options } };
}

// They keep the machine busy by themselves, or assert what takes a machine that does nothing else: times, memory, and
// that each of many requests at once is answered in time.
const scenariosAlone = [
  'test/scenarios/a-browser-behind-nginx-sees-events-at-once.test.ts',
  'test/scenarios/a-crowd-resumes-at-once.test.ts',
  'test/scenarios/a-revoked-token-ends-its-streams-everywhere.test.ts',
  'test/scenarios/a-rolling-restart-ends-no-eventsource.test.ts',
  'test/scenarios/a-worker-dies-or-sleeps-at-every-step.test.ts',
  'test/scenarios/creates-with-one-key-make-one-widget.test.ts',
  'test/scenarios/failpoints-under-load.test.ts',
  'test/scenarios/limits-hold-across-pods.test.ts',
  'test/scenarios/overload-is-refused-and-drains.test.ts',
  'test/scenarios/poison-hooks-do-not-hold-up-the-others.test.ts',
  'test/scenarios/stalled-and-vanished-clients-harm-nobody.test.ts',
  'test/scenarios/two-pods-deliver-everything.test.ts',
];

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
            'test/runners/**/*.test.ts',
            'test/checkers/**/*.test.ts',
            'test/{drivers,faults}/**/*.test.ts',
            'test/mutations/**/*.test.ts',
            'test/deploy/**/*.test.ts',
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
        'test/conformance/run-registry.test.ts',
        'test/conformance/quarantine-store.test.ts',
        'test/conformance/unstorable-values.test.ts',
        'test/conformance/widget-*.test.ts',
      ]),
      onBackend('processing', 'embedded', ['test/processing/**/*.test.ts']),
      onBackend('processing', 'cluster', ['test/processing/**/*.test.ts']),
      onBackend('api', 'embedded', ['test/api/**/*.test.ts']),
      onBackend('api', 'cluster', ['test/api/**/*.test.ts']),
      scenarios('scenarios', {
        include: ['test/scenarios/**/*.test.ts', ...onlyLong],
        exclude: scenariosAlone,
        // They wait more than they reckon; under full load each has the machine to itself.
        maxWorkers: isLong ? 1 : 2,
      }),
      scenarios('scenarios-alone', { include: scenariosAlone, maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
  },
});
