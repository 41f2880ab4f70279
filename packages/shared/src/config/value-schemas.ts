import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { type Role, type RoleMapping, roles } from '../domain/role.ts';

// The schemas of setting values. Each parses the text of an environment variable; its message says what is allowed. The
// nullable ones are for settings that may be left out: null is then their default. Bodies also use `secretText`.

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `a whole number from ${min} to ${max}`);
/** Up to the longest delay of `setTimeout`. */
export const milliseconds = (min: number) => wholeNumber(min, 2_147_483_647);
const fractionText = 'a number from 0 to 1, for example 0.05';
export const fraction = z
  .string()
  .regex(/^(0|1)(\.\d{1,9})?$/, fractionText)
  .transform(Number)
  .refine((value) => value <= 1, fractionText);
export const flag = z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');
export const oneOf = <const T extends string>(...values: T[]) => z.enum(values, `one of ${values.join(', ')}`);
/** Not even spaces alone: they would be as invisible in a message as nothing. */
export const nonEmptyText = z
  .string()
  .refine((value) => value.trim() !== '' && !value.includes('\0'), 'a non-empty text');

/** An address or a name. `explainListenFailure` names the setting of one that cannot be resolved or is not ours. */
export const host = z
  .string()
  .refine(
    (value) => isIP(value) !== 0 || /^[a-z\d_-]+(\.[a-z\d_-]+)*\.?$/i.test(value),
    'an IP address or a host name, without scheme, brackets or port',
  );

const replicaText = 'replicas, or comma-separated host:port such as redis-1:6379,redis-2:6379';
/** Parses `a:6379,[::1]` or `replicas`: those that Sentinels or a Redis Cluster name. */
export const replicaAddresses = z
  .string()
  .transform((text, { issues }) => {
    if (text === 'replicas') return text;
    const parsed = text.split(',').map(parseAddress);
    if (parsed.includes(null)) issues.push({ code: 'custom', message: replicaText, input: text });
    return parsed.filter((address) => address !== null) as readonly { host: string; port: number }[];
  })
  .nullable();

function parseAddress(text: string): { host: string; port: number } | null {
  const parts = /^(?:\[(?<ip>[\da-f:.]+)\]|(?<name>[^:[\]]+))(?::(?<port>\d{1,5}))?$/i.exec(text.trim())?.groups ?? {};
  const address = host.safeParse(parts.ip ?? parts.name);
  const port = Number(parts.port ?? 6_379);
  return address.success && port >= 1 && port <= 65_535 ? { host: address.data, port } : null;
}

const headersText = 'comma-separated pairs name=value with percent-encoded values';
/** Parses `authorization=Bearer%20abc,x-tenant=7`, as OpenTelemetry defines it. */
export const headers = z
  .string()
  .transform((text, { issues }) => {
    const pairs = text.split(',').map(parseHeader);
    if (pairs.includes(null)) issues.push({ code: 'custom', message: headersText, input: text });
    return Object.fromEntries(pairs.filter((pair) => pair !== null)) as Readonly<Record<string, string>>;
  })
  .nullable();

/** Returns name and value, or null if they cannot be sent in a header. */
function parseHeader(text: string): readonly [string, string] | null {
  const end = text.indexOf('=');
  const [name, encoded] = [text.slice(0, end).trim(), text.slice(end + 1).trim()];
  if (end === -1 || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return null;
  try {
    const value = decodeURIComponent(encoded);
    return /^[\t -~\x80-\xff]+$/.test(value) ? [name, value] : null;
  } catch {
    return null;
  }
}
const roleMappingText = `comma-separated pairs value=role, with the roles ${roles.join(', ')}`;
/** Parses `staff=viewer,owners=admin`. The last equals sign of a pair is before the role. */
export const roleMapping = z
  .string()
  .transform((value) => value.split(',').map((pair) => /^(.+)=([^=]+)$/.exec(pair.trim())?.slice(1) ?? []))
  .refine(
    (pairs) => pairs.every(([value, role]) => value !== undefined && roles.includes(role as Role)),
    roleMappingText,
  )
  .refine((pairs) => new Set(pairs.map(([value]) => value)).size === pairs.length, 'each value once')
  .transform((pairs): RoleMapping => new Map(pairs as [string, Role][]))
  .nullable();

/** A name with letters, digits, hyphens, underscores and dots, without a port. */
const hostNamePattern = /^[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?\.?$/i;
/** Parses to a list of host names, of which one may be `*`. */
export const hostNames = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()))
  .refine(
    (names): names is string[] => names.every((name) => name === '*' || hostNamePattern.test(name)),
    'host names without scheme and port, comma-separated, or *',
  );

const maxHops = 100;
/** Parses to a number of hops, or to a list of addresses and CIDRs. `none` parses to an empty list. */
export const trustedProxies = z
  .string()
  .transform((value) => (value === 'none' ? [] : parseTrustedProxies(value)))
  .refine(
    (value) => (typeof value === 'number' ? value >= 1 && value <= maxHops : value.every(isAddressRange)),
    `addresses or CIDRs, comma-separated, or a number of hops from 1 to ${maxHops}, or none`,
  )
  .nullable();

function parseTrustedProxies(value: string): number | string[] {
  return /^\d{1,3}$/.test(value) ? Number(value) : value.split(',').map((part) => part.trim());
}

/**
 * Returns whether the text is an IP address, or a CIDR other than `/0`, which would trust every client. An address with
 * a zone id (`fe80::1%eth0`) does not count as an address: it has a meaning on one machine only.
 */
function isAddressRange(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

const contactPattern = /^(?:mailto:[^\s@,]+@[^\s@,]+|https:\/\/[^\s,/@]+(?:\/[^\s,]*)?|tel:\+?[\d-]+)$/i;
/** Parses to a list of URIs without white space: each becomes a line of its own. */
export const contacts = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (values) => values.every((value) => contactPattern.test(value) && URL.canParse(value)),
    'mailto:, https: or tel: URIs, comma-separated',
  )
  .nullable();

export const pages = ['console', 'docs'] as const;
export type Page = (typeof pages)[number];
/** Parses to the pages of the list. `none` parses to an empty set. */
export const pageNames = z
  .string()
  .transform((value) => (value === 'none' ? [] : value.split(',').map((part) => part.trim())))
  .refine(
    (names): names is Page[] => names.every((name) => pages.includes(name as Page)),
    `${pages.join(', ')}, comma-separated, or none`,
  )
  .transform((names): ReadonlySet<Page> => new Set(names));

/** Controls (line ends, too), and what no font shows. They come with a copy or a file: nobody types them. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * A secret that was copied from elsewhere: a key, a password, a token. It loses blanks and line ends at its ends, and
 * is refused with a character that nobody sees. Keys in PEM have lines.
 */
export const secretText = z
  .string()
  .trim()
  .refine((text) => text.startsWith('-----BEGIN ') || !hidden.test(text), {
    message: 'Must not contain a line end or another control or invisible character.',
  });

// Of values in PEM, no message quotes a part.
const beginning = '-----BEGIN CERTIFICATE-----';

/** One certificate, or several: a chain, or the certificates of several authorities. */
export const certificates = z.string().refine((text) => {
  const bodies = text.split(beginning).slice(1);
  return bodies.length > 0 && bodies.every((body) => canParse(() => new X509Certificate(`${beginning}${body}`)));
}, 'one or more certificates in PEM');

const keyText = 'certificates in PEM, and the private key of the first one in PEM, without a passphrase';

/** A certificate, its chain and its private key. A pair that TLS cannot use would fail at each attempt to connect. */
export const certificatesWithKey = z
  .string()
  .transform((text, { issues }) => {
    const message = certificates.safeParse(text).success ? findKeyMistake(text) : keyText;
    if (message !== null) issues.push({ code: 'custom', message, input: text });
    return text;
  })
  .nullable();

/** The words of a refusal, for example `ee key too small`, are those of OpenSSL, and quote nothing. */
function findKeyMistake(text: string): string | null {
  if (!canParse(() => createPrivateKey(text))) return keyText;
  if (!new X509Certificate(text).checkPrivateKey(createPrivateKey(text)))
    return 'certificates whose first one belongs to the private key';
  try {
    createSecureContext({ key: text, cert: text });
    return null;
  } catch (error) {
    return `a pair that TLS can use (it refuses this one: ${(error as { reason?: string }).reason ?? 'unknown reason'})`;
  }
}

function canParse(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
