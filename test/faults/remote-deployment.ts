import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { countQueuedJobs, dumpDatabase } from '../drivers/cluster/cluster-run.ts';
import type { CheckedDeployment } from './checked-deployment.ts';
import { readFigures } from './process-metrics.ts';
import { openStoredStateReader } from './stored-state.ts';

/** An api pod or a worker in a container. */
export interface RemoteProcess {
  readonly name: string;
  readonly isApi: boolean;
  /** `http://<address>:<port>` of its operators' server. */
  readonly opsUrl: string;
}

export interface RemoteDeploymentOptions {
  /** The stores' addresses as seen from here, which change when a store starts again. MongoDB's names the database. */
  findStores(): Promise<{ readonly mongodbUrl: string; readonly redisUrl: string }>;
  /** Returns the processes that run now. */
  listProcesses(): Promise<readonly RemoteProcess[]>;
  readonly readNewLogs: CheckedDeployment['readNewLogs'];
}

/** Reads a deployment that runs in containers: compose or Kubernetes. Each call connects to the stores anew. */
export function checkRemoteDeployment(options: RemoteDeploymentOptions): CheckedDeployment {
  const { listProcesses, readNewLogs } = options;
  const withMongo = async <Result>(use: (client: MongoClient) => Promise<Result>): Promise<Result> => {
    const { mongodbUrl } = await options.findStores();
    const client = await new MongoClient(mongodbUrl, { serverSelectionTimeoutMS: 10_000 }).connect();
    return use(client).finally(() => client.close());
  };
  return {
    countJobs: async () => {
      const { mongodbUrl, redisUrl } = await options.findStores();
      const redis = new Redis(redisUrl);
      redis.on('error', () => undefined);
      return countQueuedJobs(redis, findDatabaseName(mongodbUrl)).finally(() => redis.disconnect());
    },
    countOutboxes: () =>
      withMongo((client) =>
        client
          .db()
          .collection('widgets')
          .countDocuments({ 'outbox.0': { $exists: true } }),
      ),
    readStored: async (left) => {
      const { mongodbUrl, redisUrl } = await options.findStores();
      const reader = await openStoredStateReader({ MONGODB_URL: mongodbUrl }, redisUrl);
      return reader.read(left).finally(reader.close);
    },
    areAllReady: async () => {
      const answers = await Promise.all(
        (await listProcesses()).map(({ opsUrl }) =>
          fetch(`${opsUrl}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
      return answers.every(Boolean);
    },
    readProcesses: async () => {
      const readings = await Promise.all((await listProcesses()).map((one) => readFigures(one)));
      return {
        figures: readings.map(({ figures }) => figures),
        metrics: readings.map(({ metrics }) => metrics).join('\n'),
      };
    },
    readNewLogs,
    dumpStores: async () => ({ database: await withMongo((client) => dumpDatabase(client.db())) }),
  };
}
