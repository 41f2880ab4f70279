import { MongoBulkWriteError } from 'mongodb';
import { duplicateKeyCode, isUnstorable, isUnstorableCode } from './translate-error.ts';

interface Rejection {
  /** The operation's place. */
  readonly index: number;
  /** Whether what stands in its way is a document with the same key. */
  readonly isDuplicate: boolean;
}

interface BulkOutcome {
  /** Of those that the server carried out. */
  readonly matchedCount: number;
  /** What the server will never take; the others were carried out. */
  readonly unstorable: readonly Rejection[];
}

/**
 * Runs an unordered bulk of which some operations may be refused for good. Where the driver itself refuses to send it,
 * each operation is sent alone. Throws what else goes wrong; then any of them may have been carried out.
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
  const unstorable: Rejection[] = [];
  let matchedCount = 0;
  for (const [index, operation] of operations.entries()) {
    const outcome = await writeStorable([operation], write);
    matchedCount += outcome.matchedCount;
    unstorable.push(...outcome.unstorable.map((each) => ({ ...each, index })));
  }
  return { matchedCount, unstorable };
}

/** Throws unless refusals are all that went wrong: without the majority's word even what succeeded may be undone. */
function findUnstorable(error: MongoBulkWriteError): Rejection[] {
  const writeErrors = [error.writeErrors].flat();
  const isAll = writeErrors.length > 0 && writeErrors.every((one) => isUnstorableCode(one.code, one.errmsg));
  if (!isAll || error.result.getWriteConcernError() !== undefined) throw error;
  return writeErrors.map(({ index, code }) => ({ index, isDuplicate: code === duplicateKeyCode }));
}
