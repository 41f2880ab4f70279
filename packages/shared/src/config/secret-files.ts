import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { type SettingName, settingsTable } from './settings.ts';

/** Returns the variable that names the file of a secret setting: `REDIS_URL_FILE` for `REDIS_URL`. */
export function toFileVariable(name: SettingName): string {
  return `${name}_FILE`;
}

/** Returns the names of all settings whose value may come from a file, in the order of `settingsTable`. */
export function listSecrets(): SettingName[] {
  return (Object.keys(settingsTable) as SettingName[]).filter((name) => 'isSecret' in settingsTable[name]);
}

export interface SecretFiles {
  readonly values: ReadonlyMap<string, string>;
  /** The settings whose file cannot be used, each with the line that says why. No line contains a secret. */
  readonly mistakes: ReadonlyMap<string, string>;
}

/**
 * Reads the file of each of these secret settings that names one, such as a mounted Secret. One newline at the end of a
 * file is not part of the value: most editors and `echo` write it.
 */
export function readSecretFiles(
  names: readonly SettingName[],
  read: (variable: string) => string | undefined,
): SecretFiles {
  const values = new Map<string, string>();
  const mistakes = new Map<string, string>();
  for (const name of names) {
    const variable = toFileVariable(name);
    const path = read(variable);
    if (path === undefined) continue;
    if (read(name) !== undefined) {
      mistakes.set(name, `${name}, ${variable}: both are set; set one of them`);
      continue;
    }
    // A Secret of Kubernetes that is deleted after the first start leaves its folder empty.
    if (name === 'ADMIN_PASSWORD' && !existsSync(path)) continue;
    const outcome = readSecretFile(path);
    if ('value' in outcome) values.set(name, outcome.value);
    else mistakes.set(name, `${variable}: ${path} ${outcome.problem}`);
  }
  return { values, mistakes };
}

/** The certificates of all authorities of a system are about 250 KiB; a device such as /dev/zero never ends. */
const maxBytes = 524_288;

/** Returns the text of the file, or what is wrong with it as the end of a sentence that begins with its path. */
function readSecretFile(path: string): { readonly value: string } | { readonly problem: string } {
  try {
    const bytes = readAtMost(path, maxBytes + 1);
    if (bytes.length > maxBytes) return { problem: 'has more than 512 KiB; name the file of a secret' };
    if (isUtf16(bytes)) return { problem: 'is a text in UTF-16, as some editors write it; save it as UTF-8' };
    // Without a byte order mark, which some editors write and nobody sees.
    const value = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
    // Not the same as a setting that is not set: the service would then run without its stores.
    if (value === '') return { problem: 'is empty; write the value into it' };
    return value.includes('\0') ? { problem: 'contains a NUL character; save it as plain text' } : { value };
  } catch (error) {
    if (error instanceof TypeError) return { problem: 'is not a text in UTF-8; save it as UTF-8' };
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { problem: `cannot be read (${reason}); name a file that this process can read` };
  }
}

function readAtMost(path: string, length: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    // A pipe returns its content in parts.
    for (let read = -1; read !== 0 && filled < length; filled += read) {
      read = readSync(file, buffer, filled, length - filled, null);
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

/** By its byte order mark. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
