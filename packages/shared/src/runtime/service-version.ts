import { readFileSync } from 'node:fs';

/** Returns the version of the whole service, from its package.json. */
export function readServiceVersion(): string {
  const packageFile = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
}
