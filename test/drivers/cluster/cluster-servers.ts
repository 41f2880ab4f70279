import { spawnSync } from 'node:child_process';

/** The MongoDB and the Redis of the cluster suites. */
export interface ClusterServers {
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Returns the servers that MONGODB_URL and REDIS_URL name. Unless both are set, it starts containers for both. Returns
 * null if Docker is not available either. `MONGODB_IMAGE` and `REDIS_IMAGE` name other images than the default ones.
 */
export async function findClusterServers(): Promise<ClusterServers | null> {
  const { MONGODB_URL = '', REDIS_URL = '' } = process.env;
  if (MONGODB_URL !== '' && REDIS_URL !== '') {
    return { environment: { MONGODB_URL, REDIS_URL }, stop: async () => undefined };
  }
  return isDockerAvailable() ? startContainers() : null;
}

/** Whether an engine of Docker answers. */
export function isDockerAvailable(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/** Imports testcontainers only here, because the package is useless without Docker. */
async function startContainers(): Promise<ClusterServers> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const [mongo, redis] = await Promise.all([
    new GenericContainer(process.env.MONGODB_IMAGE ?? 'mongo:8.0')
      .withExposedPorts(27017)
      .withWaitStrategy(Wait.forListeningPorts())
      .start(),
    new GenericContainer(process.env.REDIS_IMAGE ?? 'redis:7.4')
      .withExposedPorts(6379)
      .withCommand(['redis-server', '--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'])
      .withWaitStrategy(Wait.forListeningPorts())
      .start(),
  ]);
  return {
    environment: {
      MONGODB_URL: `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}/`,
      REDIS_URL: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}/`,
    },
    stop: async () => {
      await Promise.all([mongo.stop(), redis.stop()]);
    },
  };
}
