import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/**
 * Replaces the content of a small file, in place: links and mounted files stay what they are, and a file keeps its
 * owner and its permissions. A new one gets the permissions `newMode`.
 *
 * One write overwrites all of the old content, with empty lines at its end, which are cut afterwards. So whenever the
 * process is killed, the file has the old lines or the new ones.
 */
export function replaceFile(path: string, content: string, newMode: number): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, newMode);
  try {
    const stats = fstatSync(file);
    const bytes = Buffer.from(content);
    writeSync(file, Buffer.concat([bytes, Buffer.alloc(Math.max(0, stats.size - bytes.length), '\n')]));
    if (stats.isFile()) ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
}
