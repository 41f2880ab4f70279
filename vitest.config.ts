import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { builtImage, imageVariable } from './test/drivers/cluster/launch-container.ts';
import { isLong } from './test/faults/scale.ts';
import { notOnProcesses, scenariosOnContainers } from './test/scenarios/on-containers.ts';

/** A project that runs test files on one backend. The files read its name with `inject('backend')`. */
function onBackend(name: string, backend: 'embedded' | 'cluster' | 'simulated', include: string[]) {
  return {
    test: {
      name: `${name}-${backend}`,
      include,
      provide: { backend },
      // What needs no server must not use one that happens to be there.
      env: backend === 'cluster' ? {} : { MONGODB_URL: '', REDIS_URL: '' },
      pool: 'forks' as const,
      isolate: false,
      // Generous, for a busy machine. A test of a deadline asserts that deadline itself.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      globalSetup: ['test/runners/global-setup.ts'],
    },
  };
}

/** The same project, with a Redis that `global-setup.ts` starts. */
function withOwnRedis({ test }: ReturnType<typeof onBackend>, suffix: 'separate-events-redis' | 'guarded-redis') {
  return { test: { ...test, name: `${test.name}-${suffix}` } };
}

const conformance = ['test/conformance/**/*.test.ts'];
const processing = ['test/processing/**/*.test.ts'];
/**
 * The interface on the cluster: what the conformance suites cannot see. The other tests of the interface end before a
 * store is asked, or ask a port in a way that its suite covers.
 */
const apiOnCluster = [
  'test/api/{metrics,overview,quarantine,subscriptions}/**/*.test.ts',
  'test/api/audit/{changes,repeated-creates,system}.test.ts',
  'test/api/bad-input/generated*.test.ts',
  'test/api/deliveries/{by-webhook-id,discard,list-*,redrive*}.test.ts',
  'test/api/every-route/{damaged-rows,deep-pages,right-lost-while-the-body-arrives}.test.ts',
  'test/api/{grants/tokens,integrations/token-lifecycle,integrations/samples,integrations/source-changes-apply}.test.ts',
  'test/api/receive-hook/{202,429,backlog-share,flood}.test.ts',
  'test/api/session/{change-password,ended-session-streams,expiry,manage-sessions,sign-in*,two-pods}.test.ts',
  'test/api/stream-events/{200,damaged-events,entitlement,filtered-resume,stream-position}.test.ts',
  'test/api/{create-widget/201,list-widgets/200,users/create,users/update}.test.ts',
  'test/client-library/service/**/*.test.ts',
];
/** Attacks on what a store does or how long it takes. Those on parsers end before a store is asked. */
const attackOnCluster = ['test/attack/{find-out-what-exists,guess-a-password,starve-the-others}.test.ts'];

/** A project of scenarios: real processes, real servers, faults. */
function scenarios(name: string, options: TestProjectInlineConfiguration['test']) {
  return { test: { name, pool: 'forks' as const, testTimeout: 240_000, hookTimeout: 120_000, ...options } };
}

// Two at a time leave a third of two processors; three make time-outs pass. Under full load each one runs alone.
const lanes = isLong ? 1 : 2;
// Scenarios that assert times or memory, so they need the machine for themselves.
const scenariosAlone = [
  'test/scenarios/nginx-does-not-delay-events.test.ts',
  'test/scenarios/crowd-of-clients-resumes.test.ts',
  'test/scenarios/stalled-and-vanished-clients-are-cut.test.ts',
];

// Models with larger bounds than the unit tests.
const onlyLong = isLong ? ['test/model/every-interleaving.test.ts'] : [];

export default defineConfig({
  test: {
    // Tests mostly wait for servers and timers, so two processors can run three workers.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A failure quotes what it found, not `[ Array(1) ]`: the line that `run-vitest.ts` prints may be all there is.
    chaiConfig: { truncateThreshold: 1_000 },
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
            'test/model/publishing-protocol.test.ts',
            'test/simulation/**/*.test.ts',
            'test/client-library/simulated/**/*.test.ts',
          ],
          pool: 'forks',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'deploy',
          include: ['test/deploy/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      onBackend('conformance', 'embedded', conformance),
      onBackend('conformance', 'cluster', conformance),
      // Only the ports of the data path: entitlements, sessions and rate limits are not simulated.
      onBackend('conformance', 'simulated', [
        'test/conformance/delivery-ledger*.test.ts',
        'test/conformance/event-log*.test.ts',
        'test/conformance/hook-queue*.test.ts',
        'test/conformance/{run-registry,unstorable-writes}.test.ts',
        'test/conformance/widget-*.test.ts',
      ]),
      // What touches the event log, once more with the log in a Redis of its own.
      withOwnRedis(
        onBackend('data-path', 'cluster', [
          'test/conformance/{control-log,event-log*}.test.ts',
          'test/processing/{a-run-makes-few-calls,a-worker-*,runs-that-publish-together,the-worker-*}.test.ts',
        ]),
        'separate-events-redis',
      ),
      // `npm run test:redis` runs these.
      withOwnRedis(onBackend('conformance', 'cluster', conformance), 'guarded-redis'),
      withOwnRedis(onBackend('processing', 'cluster', processing), 'guarded-redis'),
      withOwnRedis(onBackend('api', 'cluster', apiOnCluster), 'guarded-redis'),
      onBackend('processing', 'embedded', processing),
      onBackend('processing', 'cluster', processing),
      onBackend('api', 'embedded', ['test/{api,client-library/service,widgetctl}/**/*.test.ts']),
      onBackend('api', 'cluster', apiOnCluster),
      onBackend('attack', 'embedded', ['test/attack/**/*.test.ts']),
      onBackend('attack', 'cluster', attackOnCluster),
      scenarios('scenarios', {
        include: ['test/scenarios/**/*.test.ts', ...onlyLong],
        exclude: [...scenariosAlone, ...notOnProcesses],
        maxWorkers: lanes,
      }),
      // `npm run scenarios -- --docker` builds the image and runs it.
      scenarios('docker', {
        include: ['test/docker/**/*.test.ts', ...scenariosOnContainers],
        env: { [imageVariable]: builtImage },
        maxWorkers: lanes,
      }),
      // `npm run scenarios -- --kubernetes` runs it: it needs a cluster where pods run.
      scenarios('kubernetes', { include: ['test/kubernetes/**/*.test.ts'], maxWorkers: 1 }),
      // `npm run scenarios:upgrade` runs it: it needs a checkout of another version.
      scenarios('upgrade', { include: ['test/upgrade/**/*.test.ts'] }),
      scenarios('scenarios-alone', { include: scenariosAlone, maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
  },
});
