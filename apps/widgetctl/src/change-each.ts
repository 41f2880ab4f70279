import { describeFailure } from './describe-failure.ts';
import { PartlyFailedError } from './exit-codes.ts';
import type { Output } from './output.ts';

/** A change that a command makes to several things, one after the other. */
export interface EachChange {
  /** The things, in the plural. */
  readonly nouns: string;
  /** The member of a JSON result that names the thing. */
  readonly idMember: string;
  /** The member of a JSON result that says whether the thing was changed. */
  readonly doneMember: string;
  /** What a line says of a thing that was changed. */
  readonly doneText: string;
  /** Changes one thing. Throws if the service refuses it. */
  readonly change: (id: string) => Promise<unknown>;
}

/**
 * Changes each of these things, and prints a result for each. One that is refused does not stop the others. Throws
 * `PartlyFailedError` at the end if any was.
 */
export async function changeEach(output: Output, ids: readonly string[], how: EachChange): Promise<void> {
  let failed = 0;
  for (const id of ids) failed += (await changeOne(output, id, how)) ? 0 : 1;
  output.note(`${ids.length - failed} accepted, ${failed} refused.`);
  if (failed > 0) throw new PartlyFailedError(`${failed} of ${ids.length} ${how.nouns} were refused.`);
}

async function changeOne(
  output: Output,
  id: string,
  { idMember, doneMember, doneText, change }: EachChange,
): Promise<boolean> {
  try {
    await change(id);
    output.result({ [idMember]: id, [doneMember]: true }, () => `${id}: ${doneText}`);
    return true;
  } catch (error) {
    const reason = describeFailure(error).join(' ');
    output.result({ [idMember]: id, [doneMember]: false, error: reason }, () => `${id}: ${reason}`);
    return false;
  }
}
