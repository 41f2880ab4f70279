import { readFileSync } from 'node:fs';
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
 * Reads the file of each of these secret settings that names one, such as a mounted Secret. One newline at the end of a file is not
 * part of the value: most editors and `echo` write it.
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
    try {
      const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      // Not the same as a setting that is not set: the service would then run without its stores.
      if (value === '') mistakes.set(name, `${variable}: ${path} is empty; write the value of ${name} into it`);
      else values.set(name, value);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      mistakes.set(name, `${variable}: ${path} cannot be read (${reason}); name a file that this process can read`);
    }
  }
  return { values, mistakes };
}
