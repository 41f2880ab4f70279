import { expect } from 'vitest';
import type { ServiceProcess } from '../support/service-process.ts';

/** No secret stands in anything these processes have logged or printed: as it is, URL-encoded or in base64. */
export function expectNoSecretTold(processes: readonly ServiceProcess[], secrets: readonly string[]): void {
  const told = processes.map((each) => `${each.output()}\n${JSON.stringify(each.lines)}`).join('\n');
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ]);
  expect(forms.filter((form) => told.includes(form))).toEqual([]);
}
