import { v7 } from 'uuid';

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The lower-case form of a UUID of any version and either case; null when the text is none. */
export function parseUuid(text: string): string | null {
  const lower = text.toLowerCase();
  return pattern.test(lower) ? lower : null;
}

/** A UUIDv7 (RFC 9562), rising within this process also inside one millisecond. */
export function createUuidV7(): string {
  return v7();
}

/** A UUIDv8 (RFC 9562 section 5.8) that carries the first 16 bytes of `bytes`, less the version and variant bits. */
export function uuidV8From(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(0, 16));
  hex[6] = ((hex[6] ?? 0) & 0x0f) | 0x80;
  hex[8] = ((hex[8] ?? 0) & 0x3f) | 0x80;
  const text = hex.toString('hex');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}
