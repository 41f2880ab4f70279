import { MongoBulkWriteError } from 'mongodb';
import { describeRejection, duplicateKeyCode, isEachWriteUnstorable, isUnstorable } from './translate-error.ts';

interface RejectedWrite {
  /** The operation's index. */
  readonly index: number;
  /** True: a document with the same key exists. False: the operation is unstorable. */
  readonly isDuplicate: boolean;
  /** The error, without values of the operation. */
  readonly cause: string;
}

interface BulkOutcome {
  /** Of the operations that the server ran. */
  readonly matchedCount: number;
  /** The server ran all other operations. */
  readonly rejected: readonly RejectedWrite[];
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
    return { matchedCount, rejected: [] };
  } catch (error) {
    if (error instanceof MongoBulkWriteError)
      return { matchedCount: error.matchedCount, rejected: readRejected(error) };
    if (!isUnstorable(error)) throw error;
    if (operations.length > 1) return writeEach(operations, write);
    return { matchedCount: 0, rejected: [{ index: 0, isDuplicate: false, cause: describeRejection(error) }] };
  }
}

async function writeEach<Operation>(
  operations: readonly Operation[],
  write: (operations: Operation[]) => Promise<{ readonly matchedCount?: number }>,
): Promise<BulkOutcome> {
  const rejected: RejectedWrite[] = [];
  let matchedCount = 0;
  for (const [index, operation] of operations.entries()) {
    const outcome = await writeStorable([operation], write);
    matchedCount += outcome.matchedCount;
    rejected.push(...outcome.rejected.map((write) => ({ ...write, index })));
  }
  return { matchedCount, rejected };
}

/** Throws on any other failure. */
function readRejected(error: MongoBulkWriteError): RejectedWrite[] {
  if (!isEachWriteUnstorable(error)) throw error;
  return [error.writeErrors].flat().map((writeError) => ({
    index: writeError.index,
    isDuplicate: writeError.code === duplicateKeyCode,
    cause: describeRejection(writeError),
  }));
}
