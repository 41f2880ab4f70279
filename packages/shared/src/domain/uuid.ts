import { v5, v7 } from 'uuid';

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the lower-case form of a UUID of any version, or null if the text is not a UUID. */
export function parseUuid(text: string): string | null {
  const lower = text.toLowerCase();
  return pattern.test(lower) ? lower : null;
}

/** Returns a UUIDv7 (RFC 9562). Within a process each is greater than the one before, even in the same millisecond. */
export function createUuidV7(): string {
  return v7();
}

/**
 * Returns a UUIDv8 (RFC 9562 section 5.8) from the first 32 hexadecimal digits of `hex`. The version and variant bits
 * replace 6 of their 128 bits.
 */
export function toUuidV8(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return (
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-` +
    `${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  );
}

/**
 * Returns the id of the widget that an integration knows by a name: a UUIDv5 (RFC 9562 section 5.5) of the name, in the
 * namespace of the integration's id. The same foreign object is always the same widget.
 */
export function deriveWidgetId(integrationId: string, name: string): string {
  return v5(name, integrationId);
}
