/**
 * `npm test`: runs every suite that can run on this machine. Without servers and without Docker it skips the cluster
 * suites, and a line at the end says so. With REQUIRE_CLUSTER=1 such a skip is a failure. Without KUBECONFIG it also
 * skips the tests that apply the Kubernetes manifests; REQUIRE_KUBERNETES=1 forbids that.
 */
import { spawnSync } from 'node:child_process';
import { findReasonToSkip } from '../deploy/kubectl.ts';
import { findClusterServers } from '../drivers/cluster/cluster-servers.ts';
import { runVitest } from './run-vitest.ts';

const withoutServers = [
  'unit',
  'deploy',
  'conformance-embedded',
  'conformance-simulated',
  'processing-embedded',
  'api-embedded',
  'attack-embedded',
];
const withServers = ['conformance-cluster', 'processing-cluster', 'api-cluster', 'attack-cluster'];
const withOwnRedis = ['data-path-cluster-separate-events-redis'];

const servers = await findClusterServers();
const hasOwnRedis = servers !== null && spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
const projects = [...withoutServers, ...(servers === null ? [] : withServers), ...(hasOwnRedis ? withOwnRedis : [])];
const result = await runVitest(projects, servers?.environment, process.argv.slice(2));
await servers?.stop();

const isForbiddenSkip = servers === null && process.env.REQUIRE_CLUSTER === '1';
if (servers === null) {
  console.log(`\n*** SKIPPED: ${withServers.join(', ')} (set MONGODB_URL and REDIS_URL, or start Docker) ***`);
}
if (servers !== null && !hasOwnRedis) console.log(`\n*** SKIPPED: ${withOwnRedis} (install redis-server) ***`);
const withoutControlPlane = findReasonToSkip();
if (withoutControlPlane !== null) {
  console.log(`\n*** SKIPPED: the manifests on a control plane (${withoutControlPlane}) ***`);
}
if (isForbiddenSkip) console.log('*** REQUIRE_CLUSTER=1: a skip is a failure ***');
for (const failure of result.failures) console.log(`\n${failure}`);
console.log(`\nsuites: ${result.passed} passed, ${result.failed + (isForbiddenSkip ? 1 : 0)} failed`);
process.exitCode = result.failed === 0 && !isForbiddenSkip ? 0 : 1;
