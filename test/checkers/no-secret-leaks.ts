import { expect } from 'vitest';
import type { ServiceProcess } from '../drivers/cluster/service-process.ts';
import type { Checker } from './evidence.ts';

/** No secret is in anything that these processes have logged or printed. */
export function expectNoSecretPrinted(processes: readonly ServiceProcess[], secrets: readonly string[]): void {
  expectNoSecretIn({ 'logs and output': processes.map(collectOutput).join('\n') }, secrets);
}

/** Returns everything that a process has logged and printed. */
export function collectOutput(service: ServiceProcess): string {
  return `${service.output()}\n${JSON.stringify(service.lines)}`;
}

/** No secret is in any of these texts (bytes as latin1): not as it is, not URL-encoded, and not inside base64. */
export function expectNoSecretIn(places: Readonly<Record<string, string>>, secrets: readonly string[]): void {
  expect(findSecrets(places, secrets)).toEqual([]);
}

/** C8: no secret is in logs, metrics, problem bodies or stores. */
export const noSecretLeaks: Checker = ({ texts, secrets }) => findSecrets(texts, secrets);

/** Returns one text per secret, form and place. */
function findSecrets(places: Readonly<Record<string, string>>, secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) =>
    listEncodings(secret).flatMap((form) =>
      Object.entries(places).flatMap(([place, text]) => (text.includes(form) ? [`${form} in ${place}`] : [])),
    ),
  );
}

function listEncodings(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const base64 = [0, 1, 2].flatMap((offset) => encodeBase64At(secret, offset));
  return [...new Set([secret, encoded, encoded.toLowerCase(), ...base64])];
}

/**
 * Returns the base64 text of a secret that starts `offset` bytes after a boundary of three bytes. Leaves out the
 * characters that depend on the neighbouring bytes.
 */
function encodeBase64At(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const whole = bytes.subarray(offset === 0 ? 0 : 3, bytes.length - (bytes.length % 3));
  return [whole.toString('base64'), whole.toString('base64url')];
}
