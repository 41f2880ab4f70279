/**
 * `npm run test:redis`: runs the suites of the cluster with a Redis that demands TLS, client certificates, and a user
 * with exactly the rules of `deploy/redis/users.acl`. A test fails if Redis refuses anything to that user. REDIS_SERVER
 * names another program than `redis-server`: a Redis of another version, or a Valkey. It needs MONGODB_URL; the address
 * REDIS_URL is not used. Further arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { redisServer } from '../faults/redis-process.ts';
import { runVitest } from './run-vitest.ts';

const projects = ['conformance', 'processing', 'api'].map((name) => `${name}-cluster-guarded-redis`);
const { stdout: version } = spawnSync(redisServer, ['--version'], { encoding: 'utf8' });
const result = await runVitest(projects, {}, process.argv.slice(2));
for (const failure of result.failures) console.log(`\n${failure}`);
console.log(`\n${version.trim()}\nTLS, client certificates, deploy/redis/users.acl`);
console.log(`\nsuites: ${result.passed} passed, ${result.failed} failed`);
process.exitCode = result.failed === 0 ? 0 : 1;
