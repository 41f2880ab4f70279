import { expect, test } from 'vitest';
import type { Checker } from './evidence.ts';
import { type EvidenceDraft, epoch, spoiled } from './healthy-evidence.ts';

type Spoiling = readonly [what: string, says: RegExp, change: (evidence: EvidenceDraft) => void];

/** The checker says nothing where all is well, and finds each of these, saying so. */
export function checks(checker: Checker, spoilings: readonly Spoiling[]): void {
  test('says nothing where all is well', () => expect(checker(spoiled(() => undefined))).toEqual([]));
  test.each(spoilings)('finds %s', (_, says, change) => {
    const violations = checker(spoiled(change));
    expect(violations.length).toBeGreaterThan(0);
    expect(violations.join('\n')).toMatch(says);
  });
}

/** Drops an event from the log and from every stream. */
export function dropEvent({ stored, recording }: EvidenceDraft, seq: number): void {
  stored.log = stored.log.filter((record) => record.seq !== seq);
  for (const { connections } of recording.streams) {
    for (const connection of connections)
      connection.blocks = connection.blocks.filter((block) => block.type === 'message' || block.seq !== seq);
  }
}

/** Appends an event of the log once more at its end. */
export function tellAgain({ stored }: EvidenceDraft, seq: number, inEpoch = epoch): void {
  const record = stored.log[seq - 1];
  if (record !== undefined) stored.log.push({ ...structuredClone(record), epoch: inEpoch, seq: stored.log.length + 1 });
}
