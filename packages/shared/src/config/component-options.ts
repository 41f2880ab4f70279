import type { RoleMapping } from '../domain/role.ts';
import type { EventRetention } from '../ports/event-log.ts';
import { isLoopback } from '../runtime/host-name.ts';
import type { LoggerOptions } from '../runtime/logger.ts';
import type { TracerOptions } from '../tracing/tracer.ts';
import type { ParsedSettings } from './parse-settings.ts';
import type { Settings } from './settings.ts';

/** Converts the settings to the options of the embedded backend. */
export function toEmbeddedOptions(settings: Settings) {
  return {
    dataDir: settings.DATA_DIR,
    retention: toRetention(settings),
    deliveryRetentionMs: settings.DELIVERY_RETENTION_MS,
  };
}

/** Converts the settings to the options of the cluster backend. */
export function toClusterOptions(parsed: ParsedSettings) {
  const { settings } = parsed;
  return {
    ...toMongoOptions(parsed),
    // `parseSettings` has made sure that a cluster has both URLs.
    redisUrl: settings.REDIS_URL ?? '',
    eventsRedisUrl: settings.EVENTS_REDIS_URL,
    redisTls: { ca: settings.REDIS_TLS_CA, cert: settings.REDIS_TLS_CERT, key: settings.REDIS_TLS_KEY },
    sentinels: toSentinelOptions(settings),
    clusterNodes: { queue: settings.REDIS_CLUSTER_NODES, events: settings.EVENTS_REDIS_CLUSTER_NODES },
    eventsReplicas: settings.EVENTS_READ_REDIS,
    redisKeyPrefix: settings.REDIS_KEY_PREFIX,
    durabilityCheck: settings.REDIS_DURABILITY_CHECK,
    hookPartitions: settings.HOOK_PARTITIONS,
    ackReplicas: settings.HOOK_ACK_REPLICAS,
    retention: toRetention(settings),
  };
}

/** Who knows where the primaries of Redis are. Null: the URLs lead to Redis itself. */
function toSentinelOptions(settings: Settings) {
  if (settings.REDIS_SENTINELS === null) return null;
  return {
    addresses: settings.REDIS_SENTINELS,
    // `checkCombinations` has made sure that it is set.
    queueName: settings.REDIS_SENTINEL_NAME ?? '',
    eventsName: settings.EVENTS_REDIS_SENTINEL_NAME,
    username: settings.REDIS_SENTINEL_USERNAME,
    password: settings.REDIS_SENTINEL_PASSWORD,
    // Whoever is on the way to a Sentinel could name another Redis.
    hasTls: settings.REDIS_URL?.startsWith('rediss:') === true,
  };
}

/** Converts the settings to the options of MongoDB. The worker's migration needs only this part of the cluster's. */
export function toMongoOptions({ settings, isProduction }: ParsedSettings) {
  return {
    mongodbUrl: settings.MONGODB_URL ?? '',
    mongodbDatabase: settings.MONGODB_DATABASE,
    // In production, `npm run migrate` builds the indexes before a release: over many documents that takes long.
    migrate: !isProduction,
    deliveryRetentionMs: settings.DELIVERY_RETENTION_MS,
  };
}

/** An event is seldom smaller, with what Redis or SQLite needs for it. */
const bytesPerEvent = 1_024;

function toRetention(settings: Settings): EventRetention {
  return {
    count: Math.floor(settings.EVENT_RETENTION_BYTES / bytesPerEvent),
    ageMs: settings.EVENT_RETENTION_MS,
    bytes: settings.EVENT_RETENTION_BYTES,
  };
}

/** Besides streams: hooks, requests, and connections between two requests. Each takes about 10 KiB. */
const otherConnections = 10_000;

/** Converts the settings to the limits on connections of a pod. */
export function toConnectionLimits({ CONNECTIONS_PER_ADDRESS, STREAMS_PER_POD }: Settings) {
  return { perAddress: CONNECTIONS_PER_ADDRESS, perPod: STREAMS_PER_POD + otherConnections };
}

/**
 * Returns the host names that the public interface answers to. Null: every name, because nothing says which are its
 * own. On loopback no other machine can connect, and a name other than `localhost` can only be that of a page that
 * attacks this machine.
 */
export function toAllowedHosts({ HOST, PUBLIC_BASE_URL, ALLOWED_HOSTS }: Settings): readonly string[] | null {
  if (PUBLIC_BASE_URL === null && ALLOWED_HOSTS.length === 0 && !isLoopback(HOST)) return null;
  return [...(PUBLIC_BASE_URL === null ? [] : [new URL(PUBLIC_BASE_URL).hostname]), ...ALLOWED_HOSTS];
}

/** Converts the settings to the options of the logger. */
export function toLoggerOptions({ LOG_LEVEL }: Settings, isTerminal: boolean): LoggerOptions {
  return { level: LOG_LEVEL, isPretty: isTerminal };
}

/** Converts the settings to the options of the tracer. */
export function toTracerOptions(settings: Settings, app: 'api' | 'worker'): TracerOptions {
  return {
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    serviceName: `widget-${app}`,
    ignoresTraceparent: !settings.TRACEPARENT_ENABLED,
  };
}

export interface IdentityProviderOptions {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Null: the first one of them that the provider names. */
  readonly clientAuthentication: Settings['OIDC_CLIENT_AUTHENTICATION'];
  /** Separated by spaces. */
  readonly scopes: string;
  /** See `readRole`. */
  readonly roleClaim: string;
  readonly roleMapping: RoleMapping;
  /** The provider redirects browsers to an address below it. Without a trailing slash. */
  readonly publicBaseUrl: string;
}

/** Converts the settings to the options of the identity provider. Null: there is none. */
export function toIdentityProviderOptions(settings: Settings): IdentityProviderOptions | null {
  const { OIDC_ISSUER_URL, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLE_MAPPING, PUBLIC_BASE_URL } = settings;
  if (OIDC_ISSUER_URL === null) return null;
  return {
    issuerUrl: OIDC_ISSUER_URL,
    // `checkCombinations` has made sure that the others are set.
    clientId: OIDC_CLIENT_ID ?? '',
    clientSecret: OIDC_CLIENT_SECRET ?? '',
    clientAuthentication: settings.OIDC_CLIENT_AUTHENTICATION,
    scopes: settings.OIDC_SCOPES,
    roleClaim: settings.OIDC_ROLE_CLAIM,
    roleMapping: OIDC_ROLE_MAPPING ?? new Map(),
    publicBaseUrl: PUBLIC_BASE_URL ?? '',
  };
}
