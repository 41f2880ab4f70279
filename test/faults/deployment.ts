import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { testAdmin } from '../drivers/app/console-client.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { startService } from '../drivers/cluster/service-process.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { openFaultCluster } from './fault-cluster.ts';
import { createServiceSlot } from './service-slot.ts';
import { rejectPayloadsInMongo, rejectPayloadsInSqlite } from './unstorable-payloads.ts';

/** A running service, and what can happen to it. */
export interface Deployment {
  readonly url: string;
  readonly faults: Readonly<Record<string, () => Promise<void>>>;
  /** Makes every hook whose payload contains `word` unstorable, so that it becomes a dead letter; null ends this. */
  rejectPayloads(word: string | null): Promise<void>;
  dispose(): Promise<void>;
}

/** One process, which can also be frozen (SIGSTOP). */
export interface EmbeddedDeployment extends Deployment {
  freeze(): void;
  thaw(): void;
}

const settings = {
  API_RATE_PER_SECOND: '0',
  HOOK_RATE_PER_SECOND: '0',
  DRAIN_DELAY_MS: '500',
  ...setOptions({ heartbeatIntervalMs: 1_000 }),
};

/** Two pods and two workers behind a load balancer. Needs the servers of a cluster. */
async function openClusterDeployment(): Promise<Deployment> {
  const cluster = await openFaultCluster({ pods: 2, workers: 2, hasLinks: false, environment: settings });
  const { pods, workers, redis } = cluster;
  const { MONGODB_URL = '' } = cluster.run.environment;
  return {
    url: cluster.url,
    faults: {
      'Redis is killed and comes back': async () => {
        await redis.kill();
        await delay(1_000);
        await redis.start();
      },
      'one pod after the other is replaced': async () => {
        for (const pod of pods) {
          await pod.stop();
          await pod.start();
        }
      },
      'a pod is killed': async () => {
        await pods[0]?.kill();
        await delay(500);
        await pods[0]?.start();
      },
      'a worker is killed': async () => {
        await workers[0]?.kill();
        await workers[0]?.start();
      },
      'Redis comes back empty': async () => {
        await redis.kill();
        await redis.deleteData();
        await redis.start();
      },
    },
    rejectPayloads: (word) => rejectPayloadsInMongo(MONGODB_URL, 'outbox', word),
    dispose: cluster.dispose,
  };
}

/** One process with a data folder of its own. `extra` adds settings. */
export async function openEmbeddedDeployment(
  extra: Readonly<Record<string, string>> = {},
): Promise<EmbeddedDeployment> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-live-'));
  const ports = { PORT: `${await freePort()}`, OPS_PORT: `${await freePort()}` };
  const environment = { ...settings, ...ports, DATA_DIR: folder, ADMIN_PASSWORD: testAdmin.password, ...extra };
  const slot = createServiceSlot('embedded', () => startService('api', environment));
  await slot.start();
  return {
    url: `http://127.0.0.1:${ports.PORT}`,
    faults: {
      'the process is killed and started again': async () => {
        await slot.kill();
        await delay(500);
        await slot.start();
      },
      'the process is replaced': async () => {
        await slot.stop();
        await slot.start();
      },
    },
    freeze: slot.freeze,
    thaw: slot.thaw,
    rejectPayloads: async (word) => {
      await slot.stop();
      rejectPayloadsInSqlite(folder, 'outbox', word);
      await slot.start();
    },
    dispose: async () => {
      await slot.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Both ways to run the service. A cluster needs servers. */
export const deployments = [
  { name: 'one embedded process', canRun: true, open: () => openEmbeddedDeployment() },
  { name: 'a cluster', canRun: process.env.MONGODB_URL !== undefined, open: openClusterDeployment },
] as const;
