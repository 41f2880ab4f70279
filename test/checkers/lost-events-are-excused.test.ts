import { describe, expect, test } from 'vitest';
import { eachHookOnce } from './each-hook-once.ts';
import { everyEventOnEveryStream } from './every-event-on-every-stream.ts';
import { type EvidenceDraft, epoch, hookId, messageOf, spoiled } from './healthy-evidence.ts';
import { noSilentHole } from './no-silent-hole.ts';
import { dropEvent, tellAgain } from './spoil.ts';
import { versionsRise } from './versions-rise.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

describe('where Redis lost data and said so', () => {
  const allow = (change: (evidence: EvidenceDraft) => void) => (evidence: EvidenceDraft) => {
    evidence.allowed.gaps = true;
    change(evidence);
  };

  test('an event may be missing, its effect may not', () => {
    const lose = allow((evidence) => dropEvent(evidence, 3));
    expect(eachHookOnce(spoiled(lose))).toEqual([]);
    const loseBoth = allow((evidence) => {
      dropEvent(evidence, 3);
      evidence.stored.widgets[0]!.version = 2;
    });
    expect(widgetsAreTheFold(spoiled(loseBoth))).toHaveLength(1);
  });

  test('a hook that a run has taken may come to nothing with the queue, unless its widget is known', () => {
    const always = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
    const loseTaken = (number: number, seq: number, lostQueue = always) =>
      allow((evidence) => {
        evidence.allowed.lostQueue = lostQueue;
        const row = evidence.stored.deliveries.find(({ eventId }) => eventId === hookId(number));
        if (row === undefined) throw new Error(`there is a hook ${number}`);
        row.state = 'received';
        dropEvent(evidence, seq);
      });
    expect(eachHookOnce(spoiled(loseTaken(4, 6)))).toEqual([]);
    expect(eachHookOnce(spoiled(loseTaken(1, 4))).join()).toMatch(/has no event.*is received/);
    const before = { fromMs: -2, toMs: -1 };
    expect(eachHookOnce(spoiled(loseTaken(4, 6, before))).join()).toMatch(/is received/);
  });

  test('a hook whose event was told may stay marked as taken, unless its widget is known', () => {
    const leaveUnmarked = (number: number, fromMs = 0) =>
      allow((evidence) => {
        evidence.allowed.lostQueue = { fromMs, toMs: Number.POSITIVE_INFINITY };
        const row = evidence.stored.deliveries.find(({ eventId }) => eventId === hookId(number));
        if (row === undefined) throw new Error(`there is a hook ${number}`);
        row.state = 'received';
      });
    expect(eachHookOnce(spoiled(leaveUnmarked(4)))).toEqual([]);
    expect(eachHookOnce(spoiled(leaveUnmarked(1))).join()).toMatch(/is received/);
    expect(eachHookOnce(spoiled(leaveUnmarked(4, 10))).join()).toMatch(/is received/);
    const withoutRow = allow((evidence) => {
      leaveUnmarked(4)(evidence);
      evidence.stored.deliveries = evidence.stored.deliveries.filter(({ eventId }) => eventId !== hookId(4));
    });
    expect(eachHookOnce(spoiled(withoutRow)).join()).toMatch(/is not in the ledger/);
  });

  test('an event may be told again in the new epoch, once', () => {
    const once = allow((evidence) => tellAgain(evidence, 3, 'z1'));
    expect(eachHookOnce(spoiled(once))).toEqual([]);
    const twice = allow((evidence) => {
      tellAgain(evidence, 3, 'z1');
      tellAgain(evidence, 3, 'z1');
    });
    expect(eachHookOnce(spoiled(twice)).join()).toMatch(/several events/);
  });

  test('a hook that nobody answered is tried both ways', () => {
    const unsure = (version: number) =>
      allow((evidence) => {
        dropEvent(evidence, 5);
        Object.assign(evidence.stored.widgets[1]!, { version });
        if (version === 1) evidence.stored.widgets[1]!.lastEventAt = null;
      });
    expect(widgetsAreTheFold(spoiled(unsure(2)))).toEqual([]);
    expect(widgetsAreTheFold(spoiled(unsure(1)))).toEqual([]);
    expect(widgetsAreTheFold(spoiled(unsure(3)))).toHaveLength(1);
  });

  test('a stream that was told of a gap begins again with what is kept, and one that was not may not', () => {
    const again = (isTold: boolean) =>
      allow(({ recording }) => {
        const [first, second] = recording.streams[0]?.connections ?? [];
        if (first === undefined || second === undefined) throw new Error('there are two connections');
        const gap = messageOf('stream.gap', `${epoch}.999.0`, { reason: 'ahead-of-stream' });
        const kept = first.blocks.filter((block) => block.type === 'event');
        // It began at the end, and so it has seen nothing of what comes now.
        first.blocks = [...first.blocks.filter((block) => block.type === 'message'), ...kept.slice(2)];
        second.blocks.splice(0, 1, ...(isTold ? [gap] : []), messageOf('stream.open', `${epoch}.999.0`, {}), ...kept);
      });
    expect(versionsRise(spoiled(again(true)))).toEqual([]);
    expect(versionsRise(spoiled(again(false))).join()).toMatch(/went from \d to 1/);
  });

  test('what a gap has announced is not missing on the stream that was told, and is on the others', () => {
    const gap = allow(({ recording }) => {
      const { blocks = [] } = recording.streams[0]?.connections[1] ?? {};
      blocks.splice(
        0,
        2,
        messageOf('stream.gap', `${epoch}.1003.4`, { reason: 'trimmed' }),
        messageOf('stream.open', `${epoch}.1003.4`, { resumed: false }),
      );
    });
    expect(everyEventOnEveryStream(spoiled(gap))).toEqual([]);
    expect(noSilentHole(spoiled(gap))).toEqual([]);
    const lost = allow(({ recording }) => void recording.streams[1]?.connections[0]?.blocks.pop());
    expect(everyEventOnEveryStream(spoiled(lost)).join()).toMatch(/retirements never got/);
  });
});
