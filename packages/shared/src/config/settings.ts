import { z } from 'zod';
import type { RoleMapping } from '../domain/role.ts';
import { isLoopback } from '../runtime/host-name.ts';
import { baseUrl, issuerUrl, mongodbUrl, receiverUrl, redisUrl } from './url-schemas.ts';
import {
  certificates,
  certificatesWithKey,
  contacts,
  flag,
  fraction,
  headers,
  host,
  hostNames,
  milliseconds,
  nonEmptyText,
  oneOf,
  type Page,
  pageNames,
  pages,
  replicaAddresses,
  roleMapping,
  secretText,
  trustedProxies,
  wholeNumber,
} from './value-schemas.ts';

/** What a default may depend on. */
export interface DefaultContext {
  readonly backend: 'embedded' | 'cluster';
  /** `migration` uses MongoDB only: it may run without REDIS_URL. */
  readonly app: 'api' | 'worker' | 'migration';
  /** The value of `HOST`, given or default. */
  readonly host: string;
}

export interface Setting<T> {
  /** Parses the text of the variable. Its error messages say which values are allowed. */
  readonly schema: z.ZodType<T>;
  readonly defaultValue: T | ((context: DefaultContext) => T);
  /** One line for the documentation. */
  readonly description: string;
  /** True if the service must never print the configured value. */
  readonly isSecret?: true;
}

/** Defines a setting that is not a secret, with one line for the documentation. */
function defineSetting<T>(
  schema: z.ZodType<T>,
  defaultValue: NoInfer<T> | ((context: DefaultContext) => NoInfer<T>),
  description: string,
): Setting<T> {
  return { schema, defaultValue, description };
}

/** Defines a setting whose value no log line and no message may show. */
function defineSecret<T>(...definition: Parameters<typeof defineSetting<T>>): Setting<T> & { isSecret: true } {
  return { ...defineSetting(...definition), isSecret: true };
}

/**
 * All settings, by the name of their environment variable. Operators rely on their names, defaults and meanings. After
 * a change, run `node scripts/write-settings-docs.ts`: a test compares `docs/configuration.md` and `.env.example` with
 * this table.
 */
export const settingsTable = {
  HOST: defineSetting(
    host,
    ({ host }) => host,
    'Address on which the process listens. :: is every address, IPv6 and IPv4; on a machine without IPv6, every IPv4 address. A name such as localhost is each of its addresses.',
  ),
  PORT: defineSetting(wholeNumber(0, 65_535), 8080, 'Port of the public interface. 0 takes a free port.'),
  OPS_PORT: defineSetting(
    wholeNumber(0, 65_535),
    ({ app }) => (app === 'api' ? 8081 : 8082),
    'Port of the operators’ interface: /livez, /readyz, /startupz and /metrics. 0 takes a free port.',
  ),
  PUBLIC_BASE_URL: defineSetting(
    baseUrl,
    null,
    'Base of the URLs that are returned with tokens. The default is the scheme and Host of the request; with secure cookies, https unless the Host is this machine. A base of http: then stops the start.',
  ),
  ALLOWED_HOSTS: defineSetting(
    hostNames,
    [],
    'More host names that the service answers to, comma-separated: the public interface besides that of PUBLIC_BASE_URL, the operators’ interface besides the name of the machine. IP addresses and localhost are always allowed. * allows every name.',
  ),
  MONGODB_URL: defineSecret(
    mongodbUrl,
    null,
    'URL of MongoDB, with the name of the database as its path: mongodb://db:27017/widgets, which is also the default. 1 to 63 letters, digits, _ and -. In braces it is the prefix of every Redis key, so installations on one Redis need different names. A user of another database is found by authSource=admin. Together with REDIS_URL it selects the cluster backend.',
  ),
  REDIS_URL: defineSecret(
    redisUrl,
    null,
    'URL of Redis, which holds the hook queue, the rate limits and the event log. Several hosts are nodes of a Redis Cluster, which are asked for the one that owns our keys: redis://redis-0:6379,redis-1:6379. Name the only endpoint of a cluster twice.',
  ),
  EVENTS_REDIS_URL: defineSecret(
    redisUrl,
    null,
    'URL of a second Redis or Redis Cluster, which then holds the event log and the control log. The default is REDIS_URL.',
  ),
  REDIS_TLS_CA: defineSecret(
    certificates.nullable(),
    null,
    'Certificates of the authorities of Redis. With rediss: only. The default is those of Node and of NODE_EXTRA_CA_CERTS.',
  ),
  REDIS_TLS_CERT: defineSecret(certificatesWithKey, null, 'Client certificate for Redis, its chain, and its key.'),
  REDIS_SENTINELS: defineSecret(
    redisUrl,
    null,
    'URL of the Redis Sentinels, comma-separated, with their own user and password: redis://:password@sentinel-0:26379,sentinel-1:26379. Then REDIS_URL has no port, and its host is the name by which they know the Redis; so is that of EVENTS_REDIS_URL if it has no port. Both URLs begin with rediss:, or none.',
  ),
  EVENTS_READ_REDIS: defineSetting<'replicas' | readonly { host: string; port: number }[] | null>(
    replicaAddresses,
    null,
    'Replicas of the Redis of the event log, comma-separated host:port, from which pods read new events. replicas: those that the Sentinels or the Redis Cluster name. User, password and TLS are those of the event log. The default is to read from the primary.',
  ),
  REDIS_DURABILITY_CHECK: defineSetting(
    oneOf('enforce', 'warn'),
    'enforce',
    'enforce stops the process with code 78 if Redis has no append-only file or evicts keys; warn only logs it.',
  ),
  DATA_DIR: defineSetting(nonEmptyText, './data', 'Embedded: folder of the SQLite file.'),
  ADMIN_EMAIL: defineSetting(
    z
      .string()
      .regex(z.regexes.html5Email, 'an e-mail address')
      .max(254, 'at most 254 characters')
      .toLowerCase()
      .nullable(),
    ({ backend }) => (backend === 'embedded' ? 'admin@localhost' : null),
    'E-mail of the first admin, who is created only if there are no users.',
  ),
  ADMIN_PASSWORD: defineSecret(
    secretText.min(12, '12 to 128 characters').max(128, '12 to 128 characters').nullable(),
    null,
    'Password of the first admin. Embedded: if not set, it is generated and printed once. Its file may be absent, so that it can be deleted after the first start.',
  ),
  COOKIE_SECURE: defineSetting(
    flag,
    ({ backend, host }) => !(backend === 'embedded' && isLoopback(host)),
    'Whether browsers send the session cookie over HTTPS only. The default is false only for embedded on loopback.',
  ),
  TRUSTED_PROXIES: defineSetting<readonly string[] | number | null>(
    trustedProxies,
    null,
    'Proxies whose forwarding headers are trusted: comma-separated addresses or CIDRs, or the number of hops. none says that there is no proxy.',
  ),
  PAGES: defineSetting<ReadonlySet<Page>>(
    pageNames,
    new Set(pages),
    'Pages that the service serves, comma-separated, or none. console: the page for operators at /console. docs: /docs with the runbooks, /api/v1/openapi.json, /api/v1/asyncapi.json and /problems. Those that are left out are 404.',
  ),
  SECURITY_CONTACT: defineSetting<readonly string[] | null>(
    contacts,
    null,
    'Whom to tell about a vulnerability, in /.well-known/security.txt, the preferred one first.',
  ),
  LOG_LEVEL: defineSetting(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Lowest level that is logged.',
  ),
  CONNECTIONS_PER_ADDRESS: defineSetting(
    wholeNumber(0, 1_000_000),
    1_000,
    'Open connections of one client address on each pod, streams included. An IPv6 /64 network counts as one address. Trusted proxies have no such limit; nor do peers on private networks while TRUSTED_PROXIES is not set. 0: no limit.',
  ),
  STREAMS_PER_OWNER: defineSetting(
    wholeNumber(1, 1_000_000),
    100,
    'Open streams of one subscription, or of one user with personal streams, on each pod.',
  ),
  STREAMS_PER_POD: defineSetting(wholeNumber(1, 1_000_000), 10_000, 'Open streams on each pod.'),
  EVENT_RETENTION_BYTES: defineSetting(
    wholeNumber(1_048_576, 1_099_511_627_776),
    1_073_741_824,
    'Bytes of events that the event log keeps, for at most 24 hours, and at most one event per KiB of it: 1 048 576 events by default.',
  ),
  HOOK_PARTITIONS: defineSetting(
    wholeNumber(1, 64),
    4,
    'Partitions of the hook queue. After a change, workers also consume the partitions of earlier values, which MongoDB remembers.',
  ),
  HOOK_ACK_REPLICAS: defineSetting(
    wholeNumber(0, 10).nullable(),
    null,
    'Redis replicas that must have a hook before its 202. Run one replica more, so that one may fail. The default is 1 once Redis has had a replica in sync, until you remove the key {widgets}:replicated, and 0 otherwise. 0 accepts that a failover loses hooks.',
  ),
  HOOK_BACKLOG_MAX: defineSetting(
    wholeNumber(1, 1_000_000_000),
    1_000_000,
    'Deliveries that may wait for processing. Above it, hooks get 503.',
  ),
  HOOK_RATE_PER_SECOND: defineSetting(
    wholeNumber(0, 1_000_000),
    1_000,
    'Hooks per second of one integration over all pods, up to 5 s of it at once. A hook counts once for each started 4 KiB of its body. Hooks that fail their signature have a limit of their own. The own rate of an integration replaces this one. 0 switches the limit off for integrations without their own rate.',
  ),
  API_RATE_PER_SECOND: defineSetting(
    wholeNumber(0, 1_000_000),
    50,
    'Requests per second of one user or provision token over all pods, up to 5 s of it at once; refused ones count. A provision token creates at most 10 000 widgets an hour; if the rate is above 50, at most 200 times the rate. 0 switches both limits off.',
  ),
  PASSWORD_SIGN_IN_ENABLED: defineSetting(
    flag,
    true,
    'Whether users sign in with a password. If false, everybody signs in through the identity provider, and no first admin is created.',
  ),
  OIDC_ISSUER_URL: defineSetting(
    issuerUrl,
    null,
    'Issuer of an identity provider (OpenID Connect), exactly as its metadata names it. Not set: no sign-in through a provider. Needs PUBLIC_BASE_URL and the next settings without a default.',
  ),
  OIDC_CLIENT_ID: defineSetting(nonEmptyText.nullable(), null, 'Client id of this service at the identity provider.'),
  OIDC_CLIENT_SECRET: defineSecret(
    secretText.min(16, 'at least 16 characters, generated by the provider').nullable(),
    null,
    'Client secret of this service at the identity provider. All pods need the same one.',
  ),
  OIDC_SCOPES: defineSetting(
    z.string().regex(/^(?=(.* )?openid( |$))[!#-[\]-~]+( [!#-[\]-~]+)*$/, 'space-separated scopes with openid'),
    'openid email profile',
    'Scopes that the service asks the identity provider for.',
  ),
  OIDC_ROLE_CLAIM: defineSetting(
    z.string().regex(/^[^\s.]+(\.[^\s.]+)*$/, 'a name, or names with single dots between them, without spaces'),
    'roles',
    'Claim of the ID token that gives the role: a name, or a path such as realm_access.roles.',
  ),
  OIDC_ROLE_MAPPING: defineSetting<RoleMapping | null>(
    roleMapping,
    null,
    'Roles by values of the claim: comma-separated pairs such as staff=viewer,owners=admin. Who has none of the values cannot sign in.',
  ),
  BODY_LIMIT_BYTES: defineSetting(
    wholeNumber(1_024, 4_194_304),
    65_536,
    'Largest hook in bytes, at most 4 MiB. Above 64 KiB, it also raises the limit of other large bodies. A body may block the event loop for a time in proportion to its size: 4 MiB of short names take more than a second.',
  ),
  TOKEN_MAX_LIFETIME_MS: defineSetting(
    wholeNumber(60_000, 315_360_000_000).nullable(),
    null,
    'How long a token may live after it was issued or rotated. The default is without limit.',
  ),
  SESSION_LIFETIME_MS: defineSetting(
    milliseconds(60_000),
    604_800_000,
    'A session ends after this long, even if it is used.',
  ),
  DELIVERY_RETENTION_MS: defineSetting(
    wholeNumber(3_600_000, 315_360_000_000),
    604_800_000,
    'How long duplicates of a hook are recognised, counted from its publication, or from when it was discarded.',
  ),
  AUDIT_RETENTION_MS: defineSetting(
    wholeNumber(86_400_000, 315_360_000_000),
    34_560_000_000,
    'How long audit events are kept: 400 days by default.',
  ),
  AUDIT_HMAC_KEY: defineSecret(
    secretText.min(32, 'at least 32 characters').nullable(),
    null,
    'Key of the HMACs of e-mails in audit events, and of the keys of rate limits in Redis. The same on every pod. The default is a random key that the store keeps.',
  ),
  DRAIN_DELAY_MS: defineSetting(
    wholeNumber(0, 600_000),
    5_000,
    'How long a stopping pod still serves requests as before. It then closes its streams over four times as long.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSecret(
    receiverUrl,
    null,
    'Base URL of an OTLP receiver of traces, over HTTP with protobuf. The service appends /v1/traces. Not set: no tracing.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: defineSecret<Readonly<Record<string, string>> | null>(
    headers,
    null,
    'Headers of each export, for example authorization=Bearer%20abc: comma-separated pairs with percent-encoded values.',
  ),
  OTEL_TRACES_SAMPLER_ARG: defineSetting(fraction, 0.01, 'Share of requests that are traced, from 0 to 1.'),
  TRACEPARENT_ENABLED: defineSetting(
    flag,
    false,
    'Whether a request with a traceparent header continues the trace of its sender and follows the sender’s decision to trace. Only for senders that you trust: each of them can have all its requests traced.',
  ),
} as const;

type Table = typeof settingsTable;
export type SettingName = keyof Table;
export type Settings = {
  readonly [Name in SettingName]: Table[Name] extends { schema: z.ZodType<infer T> } ? T : never;
};
