import { MongoBulkWriteError } from 'mongodb';
import { duplicateKeyCode, isUnstorable, isUnstorableCode } from './translate-error.ts';

interface UnstorableWrite {
  /** The operation's index. */
  readonly index: number;
  /** Whether a document with the same key exists. */
  readonly isDuplicate: boolean;
}

interface BulkOutcome {
  /** Of the operations that the server ran. */
  readonly matchedCount: number;
  /** The operations that the server never accepts. It ran all others. */
  readonly unstorable: readonly UnstorableWrite[];
}

/**
 * Runs an unordered bulk that may contain unstorable operations. If the driver does not send the bulk, sends each
 * operation alone. Throws every other error; then the server may have run any of the operations.
 */
export async function writeStorable<Operation>(
  operations: readonly Operation[],
  write: (operations: Operation[]) => Promise<{ readonly matchedCount?: number }>,
): Promise<BulkOutcome> {
  try {
    const { matchedCount = 0 } = await write([...operations]);
    return { matchedCount, unstorable: [] };
  } catch (error) {
    if (error instanceof MongoBulkWriteError)
      return { matchedCount: error.matchedCount, unstorable: findUnstorable(error) };
    if (!isUnstorable(error)) throw error;
    if (operations.length > 1) return writeEach(operations, write);
    return { matchedCount: 0, unstorable: [{ index: 0, isDuplicate: false }] };
  }
}

async function writeEach<Operation>(
  operations: readonly Operation[],
  write: (operations: Operation[]) => Promise<{ readonly matchedCount?: number }>,
): Promise<BulkOutcome> {
  const unstorable: UnstorableWrite[] = [];
  let matchedCount = 0;
  for (const [index, operation] of operations.entries()) {
    const outcome = await writeStorable([operation], write);
    matchedCount += outcome.matchedCount;
    unstorable.push(...outcome.unstorable.map(({ isDuplicate }) => ({ isDuplicate, index })));
  }
  return { matchedCount, unstorable };
}

/** Throws on any other failure. After a failed write concern, a rollback may undo the other writes. */
function findUnstorable(error: MongoBulkWriteError): UnstorableWrite[] {
  const writeErrors = [error.writeErrors].flat();
  const isEachUnstorable =
    writeErrors.length > 0 && writeErrors.every(({ code, errmsg }) => isUnstorableCode(code, errmsg));
  if (!isEachUnstorable || error.result.getWriteConcernError() !== undefined) throw error;
  return writeErrors.map(({ index, code }) => ({ index, isDuplicate: code === duplicateKeyCode }));
}
