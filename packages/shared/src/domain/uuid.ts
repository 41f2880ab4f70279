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

/** A UUIDv8 (RFC 9562 section 5.8) of the first 32 hexadecimal digits, less the version and variant bits. */
export function toUuidV8(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return (
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-` +
    `${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  );
}
