import { describe, expect, test } from 'vitest';
import { eachHookOnce } from './each-hook-once.ts';
import { everyEventOnEveryStream } from './every-event-on-every-stream.ts';
import { deriveHookId, type EvidenceDraft, epoch, makeEvidence, makeMessage } from './healthy-evidence.ts';
import { noSilentHole } from './no-silent-hole.ts';
import { appendAgain, dropEvent } from './test-checker.ts';
import { versionsRise } from './versions-rise.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

describe('checkers, where Redis may have lost data', () => {
  const withGapsAllowed = (change: (evidence: EvidenceDraft) => void) => (evidence: EvidenceDraft) => {
    evidence.allowed.gaps = true;
    change(evidence);
  };

  test('allow a missing event, but not a missing effect', () => {
    // Event 3 is the one of hook 0, which made the first widget's version 2.
    const loseEvent = withGapsAllowed((evidence) => dropEvent(evidence, 3));
    expect(eachHookOnce(makeEvidence(loseEvent))).toEqual([]);
    const loseBoth = withGapsAllowed((evidence) => {
      dropEvent(evidence, 3);
      evidence.stored.widgets[0]!.version = 2;
    });
    expect(widgetsAreTheFold(makeEvidence(loseBoth))).toHaveLength(1);
  });

  test('allow a registered hook to be lost with the queue, unless its widget is known or it was accepted too late', () => {
    // Hook 4 names no widget, hook 1 names a known one. Their events are 6 and 4. Every hook is answered at 5 ms.
    const always = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
    const loseRegistered = (number: number, seq: number, lostQueue = always) =>
      withGapsAllowed((evidence) => {
        evidence.allowed.lostQueue = lostQueue;
        const row = evidence.stored.deliveries.find(({ eventId }) => eventId === deriveHookId(number));
        if (row === undefined) throw new Error(`hook ${number} has no ledger row`);
        row.state = 'received';
        dropEvent(evidence, seq);
      });
    expect(eachHookOnce(makeEvidence(loseRegistered(4, 6)))).toEqual([]);
    expect(eachHookOnce(makeEvidence(loseRegistered(1, 4))).join()).toMatch(/has no event.*is received/);
    const beforeHooks = { fromMs: -2, toMs: -1 };
    expect(eachHookOnce(makeEvidence(loseRegistered(4, 6, beforeHooks))).join()).toMatch(/is received/);
  });

  test('allow the row of a published hook to stay received, unless its widget is known or it was accepted too early', () => {
    // Every hook is answered at 5 ms. Before `fromMs` the fault cannot have lost it.
    const leaveUnmarked = (number: number, fromMs = 0) =>
      withGapsAllowed((evidence) => {
        evidence.allowed.lostQueue = { fromMs, toMs: Number.POSITIVE_INFINITY };
        const row = evidence.stored.deliveries.find(({ eventId }) => eventId === deriveHookId(number));
        if (row === undefined) throw new Error(`hook ${number} has no ledger row`);
        row.state = 'received';
      });
    expect(eachHookOnce(makeEvidence(leaveUnmarked(4)))).toEqual([]);
    expect(eachHookOnce(makeEvidence(leaveUnmarked(1))).join()).toMatch(/is received/);
    expect(eachHookOnce(makeEvidence(leaveUnmarked(4, 10))).join()).toMatch(/is received/);
    const removeRow = withGapsAllowed((evidence) => {
      leaveUnmarked(4)(evidence);
      evidence.stored.deliveries = evidence.stored.deliveries.filter(({ eventId }) => eventId !== deriveHookId(4));
    });
    expect(eachHookOnce(makeEvidence(removeRow)).join()).toMatch(/is not in the ledger/);
  });

  test('allow an event to be published again in a new epoch, but only once', () => {
    const appendOnce = withGapsAllowed((evidence) => appendAgain(evidence, 3, 'z1'));
    expect(eachHookOnce(makeEvidence(appendOnce))).toEqual([]);
    const appendTwice = withGapsAllowed((evidence) => {
      appendAgain(evidence, 3, 'z1');
      appendAgain(evidence, 3, 'z1');
    });
    expect(eachHookOnce(makeEvidence(appendTwice)).join()).toMatch(/several events/);
  });

  test('allow a hook without an answer and without an event to have had its effect or not', () => {
    // Event 5 is the one of hook 2: the only hook of the second widget that may have had an effect.
    const loseEventAtVersion = (version: number) =>
      withGapsAllowed((evidence) => {
        dropEvent(evidence, 5);
        Object.assign(evidence.stored.widgets[1]!, { version });
        if (version === 1) evidence.stored.widgets[1]!.lastEventAt = null;
      });
    expect(widgetsAreTheFold(makeEvidence(loseEventAtVersion(2)))).toEqual([]);
    expect(widgetsAreTheFold(makeEvidence(loseEventAtVersion(1)))).toEqual([]);
    expect(widgetsAreTheFold(makeEvidence(loseEventAtVersion(3)))).toHaveLength(1);
  });

  test('allow a stream to start again at the oldest event after a gap, but not without one', () => {
    const startAgain = (hasGap: boolean) =>
      withGapsAllowed(({ recording }) => {
        const [first, second] = recording.streams[0]?.connections ?? [];
        if (first === undefined || second === undefined) throw new Error('the stream has fewer than two connections');
        const gap = makeMessage('stream.gap', `${epoch}.999.0`, { reason: 'ahead-of-stream' });
        const events = first.blocks.filter((block) => block.type === 'event');
        // The first connection gets only the third event, so the first two are new to the stream when it starts again.
        first.blocks = [...first.blocks.filter((block) => block.type === 'message'), ...events.slice(2)];
        second.blocks.splice(
          0,
          1,
          ...(hasGap ? [gap] : []),
          makeMessage('stream.open', `${epoch}.999.0`, {}),
          ...events,
        );
      });
    expect(versionsRise(makeEvidence(startAgain(true)))).toEqual([]);
    expect(versionsRise(makeEvidence(startAgain(false))).join()).toMatch(/went from \d to 1/);
  });

  test('allow events that a gap announced to be missing on that stream, but not on others', () => {
    // The gap of stream 0 announces event 4. It is the only event of stream 1.
    const announceGap = withGapsAllowed(({ recording }) => {
      const { blocks = [] } = recording.streams[0]?.connections[1] ?? {};
      blocks.splice(
        0,
        2,
        makeMessage('stream.gap', `${epoch}.1003.4`, { reason: 'trimmed' }),
        makeMessage('stream.open', `${epoch}.1003.4`, { resumed: false }),
      );
    });
    expect(everyEventOnEveryStream(makeEvidence(announceGap))).toEqual([]);
    expect(noSilentHole(makeEvidence(announceGap))).toEqual([]);
    const loseOnOtherStream = withGapsAllowed((evidence) => {
      announceGap(evidence);
      evidence.recording.streams[1]?.connections[0]?.blocks.pop();
    });
    expect(everyEventOnEveryStream(makeEvidence(loseOnOtherStream)).join()).toMatch(/retirements never got/);
  });
});
