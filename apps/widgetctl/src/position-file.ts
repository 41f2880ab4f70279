import type { PositionStore } from '@widget-service/client/stream/read-stream.ts';
import { UsageError } from './exit-codes.ts';
import { describeFileError, fileExists, readFileText } from './read-file.ts';
import { replaceFile } from './replace-file.ts';

/** Keeps the position of a stream in a file, so that the next `tail` goes on there. */
export function openPositionFile(path: string): PositionStore {
  return {
    load: async () => {
      // The first time. Anything else must not silently begin at the present.
      if (!(await fileExists(path))) return null;
      const position = (await readFileText(path)).trim();
      if (/[^\x21-\x7e]/.test(position))
        throw new UsageError(`${path}, line 1: it does not hold the position of a stream.`);
      return position === '' ? null : position;
    },
    save: (position) => {
      try {
        replaceFile(path, `${position}\n`, 0o666);
      } catch (error) {
        throw new Error(`The position cannot be kept in ${path}: ${describeFileError(error)}`);
      }
    },
  };
}
