import { setTimeout as delay } from 'node:timers/promises';
import { testAdmin } from '../drivers/app/console-client.ts';
import { createFerretUser } from '../faults/ferretdb-user.ts';
import { checkRemoteDeployment, type RemoteProcess } from '../faults/remote-deployment.ts';
import { docker, inspect } from './engine.ts';

const project = ['compose', '--project-name', 'widget-scenario'];
const environment = { ADMIN_PASSWORD: testAdmin.password };

/** What a container of compose.yaml is for, and its id. */
interface ComposeContainer {
  readonly id: string;
  readonly name: string;
  readonly service: string;
}

/** Runs `docker compose` with compose.yaml and the password of the tests' admin. Returns what it printed. */
export function compose(...args: string[]): string {
  return docker([...project, ...args], environment);
}

/** Returns the containers of the service and of the stores. Some may not run. */
export function listContainers(): ComposeContainer[] {
  const lines = compose('ps', '--all', '--format', 'json').split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as { ID: string; Name: string; Service: string })
    .map(({ ID, Name, Service }) => ({ id: ID, name: Name, service: Service }))
    .filter(({ service }) => service !== 'passwords');
}

/** Starts all containers. Those of the service come up once the user of MongoDB exists. */
export function startCompose(): void {
  compose('up', '--detach', '--build');
  const mongodb = listContainers().find(({ service }) => service === 'mongodb');
  docker(['exec', mongodb?.id ?? '', 'bash', '-c', createFerretUser]);
}

/** Waits until every container runs and its health check succeeds. */
export async function waitUntilHealthy(withinMs: number): Promise<void> {
  const endsAtMs = performance.now() + withinMs;
  for (;;) {
    const unhealthy = listContainers().filter(({ id }) => inspect(id, '{{.State.Health.Status}}') !== 'healthy');
    if (unhealthy.length === 0) return;
    if (performance.now() > endsAtMs) throw new Error(`not healthy: ${unhealthy.map(({ name }) => name).join(', ')}`);
    await delay(500);
  }
}

/** Reads the deployment for the checkers, from this machine: it reaches the containers by their addresses. */
export function checkCompose() {
  const addressOf = (id: string) =>
    inspect(id, '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}').split(' ')[0] ?? '';
  const findStore = (service: string) => {
    const container = listContainers().find((one) => one.service === service);
    return { address: addressOf(container?.id ?? ''), id: container?.id ?? '' };
  };
  return checkRemoteDeployment({
    findStores: async () => {
      const [mongodb, redis] = [findStore('mongodb'), findStore('redis')];
      const password = docker(['exec', redis.id, 'cat', '/run/stores/PASSWORD']).trim();
      return {
        mongodbUrl: `mongodb://root:${password}@${mongodb.address}:27017/widgets?authSource=admin`,
        redisUrl: `redis://:${password}@${redis.address}:6379/`,
      };
    },
    listProcesses: async () =>
      listContainers().flatMap(({ id, name, service }): RemoteProcess[] => {
        const isApi = service === 'api';
        if (!isApi && service !== 'worker') return [];
        return [{ name, isApi, opsUrl: `http://${addressOf(id)}:${isApi ? 8081 : 8082}` }];
      }),
    readNewLogs: async () => ({ logs: compose('logs', '--no-log-prefix', 'api', 'worker') }),
  });
}
