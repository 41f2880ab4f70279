import { createHmac, hash, verify } from 'node:crypto';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { toUtcTime } from '@widget-service/shared/domain/foreign-time.ts';
import { isEqualInConstantTime } from '@widget-service/shared/domain/token.ts';
import type { SignatureScheme, SignatureTime } from '@widget-service/shared/entities/hook-source.ts';
import { decodeHeaderText, encodeHeader } from '../http/request-headers.ts';
import { findScheme } from './sender-presets.ts';
import { findHeader, readHeader, repeated, type SentRequest } from './sent-request.ts';
import { isForm, readDocument, readFormFields, readTextAt } from './source-document.ts';
import { decodeExactly, type SourceKey } from './source-key.ts';

/** The most signatures to compare. A sender that rotates its secret sends two. */
const signaturesMax = 10;
/** Fewer for Ed25519, whose every verification reads the whole content. An HMAC is computed once and compared. */
const ed25519SignaturesMax = 4;
const hmacHashes = { 'hmac-sha1': 'sha1', 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const;
const signatureBytes: Readonly<Record<string, number>> = {
  'hmac-sha1': 20,
  'hmac-sha256': 32,
  'hmac-sha512': 64,
  ed25519: 64,
};

/**
 * How a sender signs: sender-presets.ts has the schemes of GitHub and others. `isExact`: times must be whole Unix
 * seconds, and Base64 padded. Otherwise other notations are read, too.
 */
interface VerifiedScheme extends SignatureScheme {
  readonly isExact?: boolean;
}

/** The scheme of an integration without a source: Standard Webhooks, as the interface describes it. */
export const nativeScheme: VerifiedScheme = {
  ...findScheme({ preset: 'standard-webhooks', scheme: null }),
  isExact: true,
};

/** `secret`: the number of the secret that matched, from 1. Null: the scheme has no secret. */
export type SignatureResult =
  | { readonly isValid: true; readonly secret: number | null }
  | { readonly isValid: false; readonly reason: string };

/**
 * Verifies the signature of a request. One of the first 10 signatures (4 with Ed25519) must be made with one of the
 * keys. A header of the scheme that is sent twice is not valid: the sender sends it once, and a proxy may have taken
 * the other one.
 *
 * The sender is not known yet, so what is cheap comes first: the body is not read before the header has a signature of
 * the right length and alphabet. Then it costs one hash for each key and each address that may be signed.
 */
export function verifySignature(
  scheme: VerifiedScheme,
  keys: readonly SourceKey[],
  sent: SentRequest,
  now: Date,
): SignatureResult {
  if (scheme.algorithm === 'none') return { isValid: true, secret: null };
  const header = readHeader(sent, scheme.header);
  if (header === null) return refuse(`the header ${scheme.header} is missing`);
  if (header === repeated) return refuse(`the header ${scheme.header} is repeated`);
  if (scheme.algorithm === 'token') return compareToken(scheme, keys, header);
  if (scheme.algorithm === 'basic') return compareBasic(keys, header);
  try {
    return compareSignatures(scheme, keys, sent, now, header);
  } catch (error) {
    // The body is no document, so nobody can have signed what the scheme says.
    if (error instanceof ServiceError) return refuse(error.message);
    throw error;
  }
}

function compareSignatures(
  scheme: VerifiedScheme,
  keys: readonly SourceKey[],
  sent: SentRequest,
  now: Date,
  header: string,
): SignatureResult {
  const entries = scheme.separator === null ? [header] : header.split(scheme.separator).map((entry) => entry.trim());
  const signatures = entries
    .filter((entry) => entry.startsWith(scheme.prefix))
    .slice(0, scheme.algorithm === 'ed25519' ? ed25519SignaturesMax : signaturesMax);
  if (signatures.length === 0)
    return refuse(`the header ${scheme.header} has no signature that begins as the scheme says`);
  const wellFormed = signatures.flatMap((entry) => decodeSignature(scheme, entry.slice(scheme.prefix.length)) ?? []);
  if (wellFormed.length === 0)
    return refuse(`the header ${scheme.header} has no signature of the length and encoding of the scheme`);
  // A time in the body is part of what is signed, so it is read afterwards.
  const isTimeInBody = scheme.timestamp?.from !== undefined && !scheme.signed.includes('{timestamp}');
  const time = isTimeInBody ? noTime : readTime(scheme, entries, sent, now);
  if ('reason' in time) return refuse(time.reason);
  const id = scheme.idHeader === null ? null : findHeader(sent, scheme.idHeader);
  if (scheme.idHeader !== null && (typeof id !== 'string' || id === '')) {
    return refuse(`the header ${scheme.idHeader} is missing or repeated`);
  }
  if (scheme.signed.includes('{url}') && sent.urls.length === 0) return refuse('the address is signed, and not known');
  const bodyMistake = findBodyMistake(scheme, sent);
  if (bodyMistake !== null) return refuse(bodyMistake);
  for (const signedId of listSignedIds(id)) {
    for (const url of scheme.signed.includes('{url}') ? sent.urls : ['']) {
      const content = toSignedContent(scheme, sent, { url, timestamp: time.text, id: signedId });
      const at = keys.findIndex((key) => isSignedWith(scheme, key, content, wellFormed));
      if (at === -1) continue;
      const signedTime = isTimeInBody ? readTime(scheme, entries, sent, now) : time;
      return 'reason' in signedTime ? refuse(signedTime.reason) : { isValid: true, secret: at + 1 };
    }
  }
  return refuse('no signature was made with a secret of the integration over what the scheme signs');
}

function refuse(reason: string): SignatureResult {
  return { isValid: false, reason };
}

function compareToken({ prefix, header }: SignatureScheme, keys: readonly SourceKey[], value: string): SignatureResult {
  if (value.slice(0, prefix.length).toLowerCase() !== prefix.toLowerCase()) {
    return refuse(`the header ${header} does not begin as the scheme says`);
  }
  return compareSecret(keys, Buffer.from(value.slice(prefix.length)), `the header ${header} holds another secret`);
}

/** The name of the scheme is compared without regard to case (RFC 9110, section 11.1). */
function compareBasic(keys: readonly SourceKey[], value: string): SignatureResult {
  const base64 = /^basic +([\w+/=-]+)$/i.exec(value)?.[1];
  if (base64 === undefined) return refuse('the header is not of the scheme Basic');
  return compareSecret(keys, Buffer.from(base64, 'base64'), 'user or password is another one');
}

/** Compares digests, so that the time reveals nothing of a secret, not even its length. */
function compareSecret(keys: readonly SourceKey[], given: Buffer, reason: string): SignatureResult {
  const digest = hash('sha256', given, 'buffer');
  const at = keys.findIndex((key) => isEqualInConstantTime(digest, hash('sha256', key.export(), 'buffer')));
  return at === -1 ? refuse(reason) : { isValid: true, secret: at + 1 };
}

/** Returns null if the text does not have the form of a signature of the scheme. */
function decodeSignature({ algorithm, encoding, isExact = false }: VerifiedScheme, text: string): Buffer | null {
  const length = signatureBytes[algorithm] ?? 0;
  if (isExact && (text.length !== 4 * Math.ceil(length / 3) || !paddedBase64.test(text))) return null;
  const bytes = isExact
    ? Buffer.from(text, 'base64')
    : decodeExactly(encoding === 'hex' ? text.toLowerCase() : toPlainBase64(text), encoding);
  return bytes?.length === length ? bytes : null;
}

/** Returns Base64 in the alphabet with `+` and `/`, without padding: senders write either alphabet, padded or not. */
function toPlainBase64(text: string): string {
  return text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
}

const paddedBase64 = /^[A-Za-z0-9+/]+={0,2}$/;

function isSignedWith(
  scheme: SignatureScheme,
  key: SourceKey,
  content: readonly (string | Uint8Array)[],
  signatures: readonly Buffer[],
): boolean {
  if (scheme.algorithm === 'ed25519') {
    const bytes = Buffer.concat(content.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    return signatures.some((signature) => verify(null, bytes, key, signature));
  }
  if (!(scheme.algorithm in hmacHashes)) return false;
  const name = hmacHashes[scheme.algorithm as keyof typeof hmacHashes];
  const hmac = createHmac(name, key);
  for (const part of content) hmac.update(part);
  const expected = hmac.digest();
  return signatures.some((signature) => isEqualInConstantTime(signature, expected));
}

const noTime = { text: '' };
/** The notation of most senders, checked first because it is cheap. */
const secondsPattern = /^[1-9]\d{0,11}$/;

/** Returns the time as it was sent. Outside the body it is checked before the signature: a wrong one needs no hash. */
function readTime(
  { timestamp, toleranceSeconds, isExact = false }: VerifiedScheme,
  entries: readonly string[],
  sent: SentRequest,
  now: Date,
): { readonly text: string } | { readonly reason: string } {
  if (timestamp === null) return noTime;
  const isNear = (ms: number) => Math.abs(now.getTime() - ms) <= toleranceSeconds * 1_000;
  const text = findTime(timestamp, entries, sent);
  if (text === null) return { reason: 'the time of the signature is missing or repeated' };
  if (timestamp.unit === 'seconds' && secondsPattern.test(text) && isNear(Number(text) * 1_000)) return { text };
  const utc = isExact ? null : toUtcTime(text, timestamp.unit === 'seconds' ? 'unix-seconds' : 'unix-milliseconds');
  if (utc === null) return { reason: 'the time of the signature is no time' };
  if (isNear(Date.parse(utc))) return { text };
  return { reason: `the time of the signature differs from that of the service by more than ${toleranceSeconds} s` };
}

function findTime({ header, entry, from }: SignatureTime, entries: readonly string[], sent: SentRequest) {
  if (header !== undefined) {
    const text = readHeader(sent, header);
    return typeof text === 'string' ? text : null;
  }
  if (entry !== undefined) {
    const found = entries.filter((each) => each.startsWith(entry));
    return found.length === 1 ? (found[0]?.slice(entry.length) ?? null) : null;
  }
  return readTextAt(readDocument(sent), from ?? '') ?? null;
}

/**
 * Returns the texts and bytes that a sender may have signed as the id: what it sent. A sender that writes its headers
 * in Latin-1, as `fetch` does, signs its text in UTF-8 all the same. Both are the id of one hook.
 */
function listSignedIds(id: string | typeof repeated | null): readonly (string | Uint8Array)[] {
  if (typeof id !== 'string') return [''];
  if (!beyondAscii.test(id)) return [id];
  const [sent, text] = [encodeHeader(id), decodeHeaderText(id)];
  return sent.equals(Buffer.from(text)) ? [sent] : [sent, text];
}

const beyondAscii = /[\x80-\xff]/;
const placePattern = /\{(body|timestamp|id|url|form)\}/;
/** The template of each scheme, split into texts and placeholders in alternation. */
const partsOfSchemes = new WeakMap<SignatureScheme, readonly string[]>();

interface SignedTexts {
  readonly url: string;
  readonly timestamp: string;
  readonly id: string | Uint8Array;
}

/** Returns what is signed, in as few parts as possible: each costs a call of the hash. */
function toSignedContent(scheme: SignatureScheme, sent: SentRequest, texts: SignedTexts): (string | Uint8Array)[] {
  const parts = partsOfSchemes.get(scheme) ?? scheme.signed.split(placePattern);
  partsOfSchemes.set(scheme, parts);
  const content: (string | Uint8Array)[] = [];
  let text = '';
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    const signed = index % 2 === 0 ? part : findSigned(part, sent, texts);
    if (typeof signed === 'string') {
      text += signed;
    } else {
      content.push(text, signed);
      text = '';
    }
  }
  return text === '' ? content : [...content, text];
}

function findSigned(place: string, sent: SentRequest, { url, timestamp, id }: SignedTexts): string | Uint8Array {
  if (place === 'body') return sent.body;
  if (place === 'timestamp') return timestamp;
  if (place === 'id') return id;
  return place === 'url' ? url : joinForm(sent);
}

/** If the signed address contains a hash of the body, the body must match it, also if it is a form. */
function findBodyMistake({ bodyHashParameter }: SignatureScheme, sent: SentRequest): string | null {
  if (bodyHashParameter === null) return null;
  const given = URL.parse(sent.urls[0] ?? '')?.searchParams.getAll(bodyHashParameter) ?? [];
  // Names and values are signed without separators: these names make it hard to take one for the other.
  if (given.length === 0 && isForm(sent)) {
    const isNamed = [...readFormFields(sent.body).keys()].every((name) => /^[A-Z][A-Za-z0-9_]*$/.test(name));
    return isNamed ? null : 'a field of the form has a name that the sender does not use';
  }
  return given.length === 1 && given[0]?.toLowerCase() === hash('sha256', sent.body, 'hex')
    ? null
    : `the parameter ${bodyHashParameter} of the address is not the SHA-256 of the body`;
}

/** The names and values of a form, sorted, each pair once. Empty if the body is no form. */
function joinForm(sent: SentRequest): string {
  if (!isForm(sent)) return '';
  const fields = [...readFormFields(sent.body)].sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.flatMap(([name, values]) => [...new Set(values)].sort().map((value) => `${name}${value}`)).join('');
}
