/**
 * Returns 32 random hexadecimal digits. `crypto.randomUUID` would do, but browsers have it only on pages that came over
 * HTTPS or from the machine itself.
 */
export function createRandomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
