import { isIP } from 'node:net';
import { z } from 'zod';

/** What decides a default that is not the same everywhere. */
export interface Surroundings {
  readonly backend: 'embedded' | 'cluster';
  readonly isProduction: boolean;
  readonly isTerminal: boolean;
  readonly app: 'api' | 'worker';
  /** `HOST` as it was given or defaulted. */
  readonly host: string;
}

export interface Setting<T> {
  /** Turns the text of the variable into its value; its messages say what is allowed. */
  readonly schema: z.ZodType<T>;
  readonly fallback: T | ((surroundings: Surroundings) => T);
  /** One line for people. */
  readonly text: string;
  /** Never printed. */
  readonly isSecret?: true;
}

function setting<T>(
  schema: z.ZodType<T>,
  fallback: NoInfer<T> | ((surroundings: Surroundings) => NoInfer<T>),
  text: string,
): Setting<T> {
  return { schema, fallback, text };
}

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `a whole number from ${min} to ${max}`);
const milliseconds = (min: number) => whole(min, 2_147_483_647);
const flag = z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');
const oneOf = <const T extends string>(...values: T[]) => z.enum(values, `one of ${values.join(', ')}`);
const text = z.string().min(1, 'not empty');
const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
      `a URL with ${protocols.join(' or ')}`,
    )
    .nullable();
// Several members (`mongodb://m1:27017,m2:27017/`) are no URL to others: the rest is for MongoDB's driver to judge.
const mongodbUrl = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s/]/, 'a URL with mongodb: or mongodb+srv:')
  .nullable();
const baseUrl = url('http:', 'https:')
  .refine((value) => value === null || !/[?#]/.test(value), 'a URL without query or fragment')
  .transform((value) => value?.replace(/\/+$/, '') ?? null);

const hopsMax = 100;
const trustedProxies = z
  .string()
  .transform((value) => (/^\d{1,3}$/.test(value) ? Number(value) : value.split(',').map((part) => part.trim())))
  .refine(
    (value) => (typeof value === 'number' ? value >= 1 && value <= hopsMax : value.every(isAddressRange)),
    `addresses or CIDRs, comma-separated, or a number of hops from 1 to ${hopsMax}`,
  )
  .nullable();

/**
 * Every setting there is: its name is the environment variable. Names, defaults and meaning are an interface:
 * `docs/configuration.md` and `.env.example` are tested against this table.
 */
export const settingsTable = {
  HOST: setting(
    text,
    ({ backend }) => (backend === 'embedded' ? '127.0.0.1' : '0.0.0.0'),
    'Address of the public interface.',
  ),
  PORT: setting(whole(0, 65_535), 8080, 'Port of the public interface; 0 takes a free one.'),
  OPS_HOST: setting(text, ({ host }) => host, 'Address of the operators’ interface; as HOST by default.'),
  OPS_PORT: setting(
    whole(0, 65_535),
    ({ app }) => (app === 'api' ? 8081 : 8082),
    'Port of /livez, /readyz, /startupz and /metrics.',
  ),
  PUBLIC_BASE_URL: setting(
    baseUrl,
    null,
    'Base of the URLs handed out with tokens; by default the scheme and Host of the request.',
  ),
  MONGODB_URL: {
    ...setting(mongodbUrl, null, 'MongoDB; with REDIS_URL it selects the cluster backend.'),
    isSecret: true,
  },
  MONGODB_DATABASE: setting(text, 'widgets', 'The database’s name.'),
  REDIS_URL: {
    ...setting(url('redis:', 'rediss:'), null, 'Redis, for the hook queue and the event log.'),
    isSecret: true,
  },
  REDIS_KEY_PREFIX: setting(
    z.string().regex(/^[\w.-]{1,64}$/, 'letters, digits, _ . -'),
    'ws',
    'Begins every key, inside one hash tag.',
  ),
  MIGRATE_ON_START: setting(
    flag,
    ({ isProduction }) => !isProduction,
    'Make indexes at start; otherwise they are only verified.',
  ),
  START_TIMEOUT_MS: setting(milliseconds(1), 30_000, 'How long a start waits for MongoDB.'),
  REDIS_DURABILITY_CHECK: setting(
    oneOf('enforce', 'warn'),
    'enforce',
    'Whether a Redis without append-only file or with eviction stops the process.',
  ),
  DATA_DIR: setting(text, './data', 'Embedded: the folder of the SQLite file.'),
  ADMIN_EMAIL: setting(
    z
      .string()
      .regex(z.regexes.html5Email, 'an e-mail address')
      .max(254, 'at most 254 characters')
      .toLowerCase()
      .nullable(),
    ({ backend }) => (backend === 'embedded' ? 'admin@localhost' : null),
    'First admin, made only while there is no user.',
  ),
  ADMIN_PASSWORD: {
    ...setting(
      z.string().min(12, '12 to 128 characters').max(128, '12 to 128 characters').nullable(),
      null,
      'Password of the first admin; embedded: generated and printed once.',
    ),
    isSecret: true,
  },
  COOKIE_SECURE: setting(
    flag,
    ({ backend, host }) => !(backend === 'embedded' && isLoopback(host)),
    'Whether the session cookie is sent over HTTPS only; by default everywhere but on the embedded loopback.',
  ),
  TRUSTED_PROXIES: setting<readonly string[] | number | null>(
    trustedProxies,
    null,
    'Proxies whose forwarding headers are believed: addresses or CIDRs, comma-separated, or how many stand in front.',
  ),
  LOG_LEVEL: setting(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Least severity that is logged.',
  ),
  LOG_FORMAT: setting(
    oneOf('json', 'pretty'),
    ({ isTerminal }) => (isTerminal ? 'pretty' : 'json'),
    'Form of the log lines.',
  ),
  HEARTBEAT_INTERVAL_MS: setting(milliseconds(100), 15_000, 'Mean time between heartbeat comments on a stream.'),
  STREAM_LIFETIME_MS: setting(milliseconds(1_000), 1_800_000, 'Mean time after which a stream is asked to reconnect.'),
  STREAMS_PER_TOKEN: setting(whole(1, 1_000_000), 100, 'Open streams per token, on each pod.'),
  STREAMS_PER_POD: setting(whole(1, 1_000_000), 10_000, 'Open streams on each pod.'),
  STREAM_UNSENT_LIMIT_BYTES: setting(
    whole(16_384, 1_073_741_824),
    262_144,
    'Bytes a stream may have unsent; the rest waits in the log.',
  ),
  STREAM_STALL_MS: setting(milliseconds(1_000), 30_000, 'A stream that took nothing for this long is cut.'),
  EVENT_RETENTION_COUNT: setting(whole(1, 1_000_000_000), 1_000_000, 'Events kept for resuming streams.'),
  EVENT_RETENTION_MS: setting(milliseconds(1_000), 86_400_000, 'How long events are kept.'),
  EVENT_RETENTION_BYTES: setting(whole(1_048_576, 1_099_511_627_776), 1_073_741_824, 'Bytes of events kept.'),
  RING_FRAMES: setting(whole(1, 1_000_000), 10_000, 'Newest events each pod keeps in memory.'),
  RING_BYTES: setting(whole(65_536, 4_294_967_296), 33_554_432, 'Bytes of newest events each pod keeps in memory.'),
  HOOK_BATCH_MAX: setting(whole(1, 1_024), 256, 'Hooks of one job.'),
  HOOK_PARTITIONS: setting(whole(1, 64), 4, 'Partitions of the hook queue; kept in MongoDB from the first start.'),
  HOOK_ACK_REPLICAS: setting(whole(0, 10), 0, 'Redis replicas that must have a hook before it is answered.'),
  HOOK_BACKLOG_MAX: setting(whole(1, 1_000_000_000), 1_000_000, 'Deliveries that may wait; above it hooks get 503.'),
  OUTBOX_SCAN_AGE_MS: setting(milliseconds(100), 5_000, 'An outbox older than this is published by the scanner.'),
  HOOK_RATE_PER_SECOND: setting(
    whole(0, 1_000_000),
    1_000,
    'Hooks per second and token, over all pods; an integration’s own rate comes first; 0 switches this limit off.',
  ),
  HOOK_BURST: setting(whole(0, 10_000_000), 5_000, 'Hooks of one token that may come at once; 0 as above.'),
  API_RATE_PER_SECOND: setting(
    whole(0, 1_000_000),
    50,
    'Reads and creates of widgets per second and user or provision token, over all pods; 0 switches this limit off.',
  ),
  API_BURST: setting(whole(0, 10_000_000), 200, 'Reads and creates of one user that may come at once; 0 as above.'),
  SIGN_IN_FAILURES_PER_MINUTE: setting(
    whole(0, 100_000),
    5,
    'Failed sign-ins per account and address; per address 6 times, per account and hour 20 times this; 0 switches all off.',
  ),
  BODY_LIMIT_BYTES: setting(whole(1_024, 4_194_304), 65_536, 'Largest request body, at most 4 MiB.'),
  SESSION_IDLE_MS: setting(milliseconds(60_000), 43_200_000, 'A session unused for this long is over.'),
  SESSION_LIFETIME_MS: setting(milliseconds(60_000), 604_800_000, 'A session is over after this long in any case.'),
  DELIVERY_RETENTION_MS: setting(
    milliseconds(3_600_000),
    604_800_000,
    'How long repetitions of a hook are recognised, counted from publication.',
  ),
  DRAIN_DELAY_MS: setting(whole(0, 600_000), 5_000, 'How long a stopping api still serves as before.'),
  DRAIN_WINDOW_MS: setting(whole(0, 600_000), 20_000, 'Over how long a stopping api ends its streams.'),
} as const;

type Table = typeof settingsTable;
export type SettingName = keyof Table;
export type Settings = {
  readonly [Name in SettingName]: Table[Name] extends { schema: z.ZodType<infer T> } ? T : never;
};

function isAddressRange(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

/** Whether an address is reached from this machine only. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
