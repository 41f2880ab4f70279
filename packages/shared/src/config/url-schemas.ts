import { z } from 'zod';
import { findDatabaseName, isLoopback, splitHosts } from '../runtime/host-name.ts';

// The schemas of settings that are URLs. Form is not enough: what a driver or a browser could not use must stop the
// start here, with the name of the setting. The nullable ones are for settings that may be left out.

/** Drivers decode user, password and options. `%` alone is the usual mistake: a `%` of a password is written `%25`. */
function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

const encodingText = 'percent-encoding in UTF-8 where characters need it; a % is written %25';
/** Later checks rely on earlier ones. */
const abort = true;

/** `*` and the like are valid in a URL, but are no name that can be resolved. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[a-z\d_-]+(?:\.[a-z\d_-]+)*\.?)$/i;

/** Checks what every URL of a server needs; the scheme must be in lower case, as clients compare it as a text. */
const serverUrl = (...schemes: string[]) =>
  z
    .string()
    .refine((value) => schemes.some((scheme) => value.startsWith(`${scheme}//`)), {
      error: `a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}, in lower case`,
      abort,
    })
    .refine((value) => !/\s/.test(value) && URL.canParse(value), {
      error: 'a URL without spaces, with a port up to 65535; / ? # @ in a user name or password are percent-encoded',
      abort,
    })
    .refine((value) => hostPattern.test(new URL(value).hostname), { error: 'a URL with a host name or address', abort })
    .refine((value) => new URL(value).port !== '0', { error: 'a URL with a port from 1 to 65535', abort })
    .refine(isDecodable, { error: encodingText, abort });

/** ioredis would also let options in the query override ours, and read a path such as `/1x` as database 1. */
const redisHostUrl = serverUrl('redis:', 'rediss:')
  .refine((value) => !/[?#]/.test(value), { error: 'a URL without query or fragment', abort })
  .refine((value) => /^\/?\d{0,5}$/.test(new URL(value).pathname), {
    error: 'a path that is the number of a database, such as /0',
    abort,
  })
  // ioredis sends no user name without a password.
  .refine((value) => new URL(value).username === '' || new URL(value).password !== '', 'a user name with a password');

/**
 * One host, or several with the same user, password and database. It turns a scheme in capitals into lower case:
 * ioredis would take `REDISS:` for a connection without TLS.
 */
export const redisUrl = z
  .string()
  .transform((text, { issues }) => {
    const value = text.replace(/^rediss?:/i, (scheme) => scheme.toLowerCase());
    for (const url of splitHosts(value)) {
      const { error } = redisHostUrl.safeParse(url);
      for (const { message } of error?.issues ?? []) issues.push({ code: 'custom', message, input: text });
    }
    return value;
  })
  .nullable();

// `URL` cannot parse a URL with several hosts (`mongodb://m1:27017,m2:27017/`). MongoDB's driver checks the options.
const mongodbPattern = /^mongodb(?<srv>\+srv)?:\/\/(?:[^@/?#\s]*@)?(?<hosts>[^@/?#\s]+)(?:\/[^\s#]*|\?[^\s#]*)?$/;

/** Also in a pattern of Redis, it stands for itself. MongoDB keeps its own data in three databases. */
function isDatabaseName(name: string): boolean {
  return /^[\w-]{1,63}$/.test(name) && !['admin', 'local', 'config'].includes(name);
}

export const mongodbUrl = z
  .string()
  .refine((value) => mongodbPattern.test(value), {
    error:
      'a URL that begins with mongodb:// or mongodb+srv://, with a host; / ? # @ in a password are percent-encoded',
    abort,
  })
  .refine(isDecodable, { error: encodingText, abort })
  .refine((value) => {
    const { hosts = '', srv } = mongodbPattern.exec(value)?.groups ?? {};
    return srv === undefined ? hosts.split(',').every(isHostWithPort) : !/[,:]/.test(hosts);
  }, 'hosts with ports from 1 to 65535; with mongodb+srv:, one host without a port')
  .refine(
    (value) => isDatabaseName(findDatabaseName(value)),
    'a path that names our database: 1 to 63 letters, digits, _ -, and not admin, local or config, where users may be: authSource=admin',
  )
  .nullable();

function isHostWithPort(text: string): boolean {
  const { host = '', port = '1' } = /^(?<host>\[[^\]]+\]|[^:[\]]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  return host !== '' && Number(port) >= 1 && Number(port) <= 65_535;
}

const hasCredentials = (value: string) => new URL(value).username !== '' || new URL(value).password !== '';

const httpUrl = serverUrl('http:', 'https:').refine((value) => !/[?#]/.test(value), {
  error: 'a URL without query or fragment',
  abort,
});
const withoutCredentials = httpUrl.refine((value) => !hasCredentials(value), {
  error: 'a URL without user name and password',
  abort,
});

function toBase(value: string): string {
  let { href } = new URL(value);
  while (href.endsWith('/')) href = href.slice(0, -1);
  return href;
}
/** In its normal form; slashes at its end are removed, so that a path can be appended. */
export const baseUrl = withoutCredentials.transform(toBase).nullable();
/** The same; user name and password are sent to the receiver. */
export const receiverUrl = httpUrl.transform(toBase).nullable();

/** Kept as it is given: a slash at its end belongs to the identifier of an issuer. */
export const issuerUrl = withoutCredentials
  .refine(
    (value) => value.startsWith('https:') || isLoopback(new URL(value).hostname),
    'a URL with https: (http: only on loopback)',
  )
  .nullable();
