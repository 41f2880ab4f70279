import { expect } from 'vitest';
import type { ServiceProcess } from '../drivers/service-process.ts';
import type { Checker } from './evidence.ts';

/** No secret stands in anything these processes have logged or printed. */
export function expectNoSecretTold(processes: readonly ServiceProcess[], secrets: readonly string[]): void {
  expectNoSecretIn({ 'logs and output': processes.map(toldBy).join('\n') }, secrets);
}

/** Everything a process has logged and printed. */
export function toldBy(service: ServiceProcess): string {
  return `${service.output()}\n${JSON.stringify(service.lines)}`;
}

/** No secret stands in any of these texts (bytes as latin1): as it is, URL-encoded, or within something in base64. */
export function expectNoSecretIn(places: Readonly<Record<string, string>>, secrets: readonly string[]): void {
  expect(secretsFoundIn(places, secrets)).toEqual([]);
}

/** C8: no secret stands in what the processes log and measure, in refusals, or in the stores. */
export const noSecretIsTold: Checker = ({ texts, secrets }) => secretsFoundIn(texts, secrets);

/** One text per secret, form and place. */
function secretsFoundIn(places: Readonly<Record<string, string>>, secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) =>
    formsOf(secret).flatMap((form) =>
      Object.entries(places).flatMap(([place, text]) => (text.includes(form) ? [`${form} in ${place}`] : [])),
    ),
  );
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const base64 = [0, 1, 2].flatMap((offset) => base64Within(secret, offset));
  return [...new Set([secret, encoded, encoded.toLowerCase(), ...base64])];
}

/** How a text looks in base64 `offset` bytes behind a border of three, less the characters its neighbours decide. */
function base64Within(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const whole = bytes.subarray(offset === 0 ? 0 : 3, bytes.length - (bytes.length % 3));
  return [whole.toString('base64'), whole.toString('base64url')];
}
