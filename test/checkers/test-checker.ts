import { expect, test } from 'vitest';
import type { Checker } from './evidence.ts';
import { type EvidenceDraft, epoch, makeEvidence } from './healthy-evidence.ts';

type Defect = readonly [title: string, violation: RegExp, change: (evidence: EvidenceDraft) => void];

/** Tests that the checker finds no violation in healthy evidence, and finds each of these defects. */
export function testChecker(checker: Checker, defects: readonly Defect[]): void {
  test(`${checker.name} finds no violation in healthy evidence`, () =>
    expect(checker(makeEvidence(() => undefined))).toEqual([]));
  test.each(defects)(`${checker.name} finds %s`, (_, violation, change) => {
    const violations = checker(makeEvidence(change));
    expect(violations.length).toBeGreaterThan(0);
    expect(violations.join('\n')).toMatch(violation);
  });
}

/** Removes an event from the log and from every stream. */
export function dropEvent({ stored, recording }: EvidenceDraft, seq: number): void {
  stored.log = stored.log.filter((record) => record.seq !== seq);
  for (const { connections } of recording.streams) {
    for (const connection of connections)
      connection.blocks = connection.blocks.filter((block) => block.type === 'message' || block.seq !== seq);
  }
}

/** Appends an event of the log once more, at its end. */
export function appendAgain({ stored }: EvidenceDraft, seq: number, inEpoch = epoch): void {
  const record = stored.log[seq - 1];
  if (record !== undefined) stored.log.push({ ...structuredClone(record), epoch: inEpoch, seq: stored.log.length + 1 });
}
