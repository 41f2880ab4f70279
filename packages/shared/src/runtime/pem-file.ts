import { readFileSync } from 'node:fs';

/** Whether this is a file that this process can read, with at least one block of PEM (RFC 7468). */
export function isPemFile(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN ');
  } catch {
    return false;
  }
}
