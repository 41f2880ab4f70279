import { isLoopback, splitHosts } from '../runtime/host-name.ts';
import type { DefaultContext, Settings } from './settings.ts';

/** Returns one line per combination of settings with which the process cannot do its work. */
export function checkCombinations(settings: Settings, app: DefaultContext['app']): string[] {
  const lines = app === 'migration' ? [] : checkRedisSettings(settings);
  if (app !== 'api') return lines;
  const others = [findPortMistake(settings), findSchemeMistake(settings), findEventMistake(settings)];
  return [...lines, ...others.filter((line) => line !== null), ...checkSignInSettings(settings)];
}

/**
 * The public and the operators' interface of an api need different ports. With port 0 each takes a free one. A worker
 * has no public interface.
 */
function findPortMistake({ PORT, OPS_PORT }: Settings): string | null {
  if (PORT === 0 || PORT !== OPS_PORT) return null;
  return `PORT, OPS_PORT: both are ${PORT}; allowed: two different ports`;
}

/** Nobody could sign in at a base URL with `http:`: browsers send a secure cookie over HTTPS only. */
function findSchemeMistake({ PUBLIC_BASE_URL, COOKIE_SECURE }: Settings): string | null {
  if (PUBLIC_BASE_URL === null || !COOKIE_SECURE) return null;
  const { protocol, hostname } = new URL(PUBLIC_BASE_URL);
  if (protocol === 'https:' || isLoopback(hostname)) return null;
  return (
    `PUBLIC_BASE_URL, COOKIE_SECURE: ${JSON.stringify(PUBLIC_BASE_URL)} begins with http:, but browsers send the session ` +
    'cookie over HTTPS only; allowed: a URL with https:, or COOKIE_SECURE=false'
  );
}

/** An event holds the payload of its hook and some hundred bytes more. The log would drop it before it is read. */
function findEventMistake({ EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES }: Settings): string | null {
  if (EVENT_RETENTION_BYTES > BODY_LIMIT_BYTES) return null;
  return `EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES: the event of a hook of ${BODY_LIMIT_BYTES} bytes does not fit into ${EVENT_RETENTION_BYTES} bytes; allowed: more bytes for events than for a body`;
}

const neededWithIssuer = ['PUBLIC_BASE_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLE_MAPPING'] as const;
const uselessWithoutIssuer = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLE_MAPPING'] as const;

/** Returns one line per mistake. With such settings, nobody could sign in, or nobody could manage the service. */
function checkSignInSettings(settings: Settings): string[] {
  if (settings.OIDC_ISSUER_URL === null) {
    const lines = uselessWithoutIssuer
      .filter((name) => settings[name] !== null)
      .map((name) => `${name}: set without OIDC_ISSUER_URL; set both, or neither`);
    if (settings.PASSWORD_SIGN_IN_ENABLED) return lines;
    return [
      ...lines,
      'PASSWORD_SIGN_IN_ENABLED: false without OIDC_ISSUER_URL, so nobody could sign in; allow passwords, or set up an identity provider',
    ];
  }
  const lines = neededWithIssuer
    .filter((name) => settings[name] === null)
    .map((name) => `${name}: not set; OIDC_ISSUER_URL needs it`);
  const mapped = [...(settings.OIDC_ROLE_MAPPING?.values() ?? [])];
  if (settings.PASSWORD_SIGN_IN_ENABLED || mapped.length === 0 || mapped.includes('admin')) return lines;
  return [
    ...lines,
    'OIDC_ROLE_MAPPING: gives nobody the role admin although PASSWORD_SIGN_IN_ENABLED is false, so nobody could manage the service; map a value to admin, or allow passwords',
  ];
}

/** Returns one line per setting of Redis that means nothing without another one, or contradicts it. */
function checkRedisSettings(settings: Settings): string[] {
  const lines: string[] = [];
  const need = (name: keyof Settings, other: keyof Settings) => {
    if (settings[name] !== null && settings[other] === null) lines.push(`${name}: needs ${other}, which is not set`);
  };
  need('REDIS_SENTINELS', 'REDIS_URL');
  need('EVENTS_READ_REDIS', 'REDIS_URL');
  const { REDIS_URL, REDIS_SENTINELS, EVENTS_REDIS_URL, EVENTS_READ_REDIS } = settings;
  const canNameReplicas = (url: string) => isCluster(url) || (REDIS_SENTINELS !== null && !hasPort(url));
  const eventsUrl = EVENTS_REDIS_URL ?? REDIS_URL;
  if (EVENTS_READ_REDIS === 'replicas' && eventsUrl !== null && !canNameReplicas(eventsUrl)) {
    lines.push(
      'EVENTS_READ_REDIS: replicas needs Sentinels or a Redis Cluster for the event log; allowed: host:port of replicas',
    );
  }
  if (REDIS_SENTINELS !== null && REDIS_URL !== null) {
    if (isCluster(REDIS_URL))
      lines.push('REDIS_URL, REDIS_SENTINELS: a Redis Cluster (several hosts) has no Sentinels; allowed: one host');
    else if (hasPort(REDIS_URL))
      lines.push('REDIS_URL: has a port; with REDIS_SENTINELS, its host is the name by which they know the Redis');
    // On an unencrypted connection to a Sentinel, an attacker could name another Redis.
    if (hasTls(REDIS_URL) !== hasTls(REDIS_SENTINELS))
      lines.push('REDIS_URL, REDIS_SENTINELS: only one of them begins with rediss:; allowed: both, or none');
  }
  if (REDIS_SENTINELS !== null && splitHosts(REDIS_SENTINELS).some((url) => !/^\/?0?$/.test(new URL(url).pathname)))
    lines.push('REDIS_SENTINELS: names a database, which Sentinels do not have; REDIS_URL names it');
  return [...lines, ...checkTls(settings)];
}

function checkTls({ REDIS_URL, EVENTS_REDIS_URL, REDIS_TLS_CA, REDIS_TLS_CERT }: Settings): string[] {
  if ([REDIS_URL, EVENTS_REDIS_URL].some((url) => url !== null && hasTls(url))) return [];
  return Object.entries({ REDIS_TLS_CA, REDIS_TLS_CERT })
    .filter(([, value]) => value !== null)
    .map(([name]) => `${name}: needs a REDIS_URL that begins with rediss:`);
}

const isCluster = (url: string) => splitHosts(url).length > 1;
const hasPort = (url: string) => isCluster(url) || new URL(url).port !== '';
const hasTls = (url: string) => url.startsWith('rediss:');

const insecureOption = /[?&](tlsInsecure|tlsAllowInvalidCertificates|tlsAllowInvalidHostnames)=true(?=&|$)/i;

/** Returns what an operator should change, although the process can work. Null: nothing. */
export function findTlsWarning({ MONGODB_URL }: Settings): string | null {
  const [, option] = insecureOption.exec(MONGODB_URL ?? '') ?? [];
  if (option === undefined) return null;
  return `MONGODB_URL has ${option}: anybody on the way can pretend to be MongoDB; remove it`;
}
