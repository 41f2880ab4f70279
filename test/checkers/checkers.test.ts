import { eachHookOnce } from './each-hook-once.ts';
import { everyChangeIsAudited } from './every-change-is-audited.ts';
import { everyEventOnEveryStream } from './every-event-on-every-stream.ts';
import { everythingIsIdle } from './everything-is-idle.ts';
import { deriveHookId, epoch, makeMessage, temporaryRefusal } from './healthy-evidence.ts';
import { noSilentHole } from './no-silent-hole.ts';
import { nothingOutsideTheEntitlement } from './nothing-outside-the-entitlement.ts';
import { oneKeyOneWidget } from './one-key-one-widget.ts';
import { refusalsAreProblems } from './refusals-are-problems.ts';
import { appendAgain, dropEvent, testChecker } from './test-checker.ts';
import { versionsRise } from './versions-rise.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

const set = <T extends object>(target: T | undefined, members: Partial<T>) => void Object.assign(target ?? {}, members);
const setAll = <T extends object>(targets: readonly T[], members: Partial<T>) => {
  for (const target of targets) set(target, members);
};
const thirdWidgetId = '0197a000-0000-7000-8000-000000000003';
const otherDigit = { payload: '{"n":9007199254740992}' };

testChecker(eachHookOnce, [
  ['an accepted hook without an event', /has no event/, (evidence) => dropEvent(evidence, 3)],
  ['a hook with two events', /several events/, (evidence) => appendAgain(evidence, 3)],
  ['a hook published again in a new epoch', /several epochs/, (evidence) => appendAgain(evidence, 3, 'z1')],
  ['a published hook that is a dead letter', /is dead/, ({ stored }) => setAll(stored.deliveries, { state: 'dead' })],
  ['a hook not marked published', /is received/, ({ stored }) => setAll(stored.deliveries, { state: 'received' })],
  ['a hook that is not in the ledger', /not in the ledger/, ({ stored }) => void stored.deliveries.shift()],
  [
    'an event of a hook that was refused permanently',
    /was refused/,
    ({ recording }) => set(recording.hooks[3], { outcome: 'refused', status: 400 }),
  ],
  ['an event of a hook that was never sent', /was never sent/, ({ recording }) => void recording.hooks.splice(3, 1)],
  [
    'two hooks with one id and other digits',
    /several payloads/,
    ({ recording }) => set(recording.hooks[1], otherDigit),
  ],
  ['an event with another digit', /another payload/, ({ recording }) => set(recording.hooks[5], otherDigit)],
  [
    'an answer with another id',
    /another id/,
    ({ recording }) => set(recording.hooks[0], { answeredEventId: deriveHookId(4) }),
  ],
]);

testChecker(everyChangeIsAudited, [
  ['a create without its event', /widget.created .*has 0/, ({ stored }) => void stored.auditEvents.shift()],
  [
    'a create whose event says that it failed',
    /widget.created .*has 0/,
    ({ stored }) => set(stored.auditEvents[0], { outcome: 'failed' }),
  ],
  ['a create with two events', /has 2/, ({ stored }) => void stored.auditEvents.push(stored.auditEvents[0]!)],
  [
    'revocations without their events',
    /subscription.revoked of gone has 0.*\n.*integration.revoked/,
    ({ stored }) => void stored.auditEvents.splice(2),
  ],
]);

testChecker(everyEventOnEveryStream, [
  [
    'an event that one stream never got',
    /everything never got/,
    ({ recording }) => void recording.streams[0]?.connections[1]?.blocks.pop(),
  ],
  [
    'an event that a filtered stream never got',
    /retirements never got/,
    ({ recording }) => void recording.streams[1]?.connections[0]?.blocks.pop(),
  ],
  [
    'an event that comes twice on one connection',
    /twice on connection 0/,
    ({ recording: { streams } }) => void streams[0]?.connections[0]?.blocks.push(streams[0].connections[0].blocks[1]!),
  ],
  [
    'an event with different bytes on two connections',
    /has different bytes/,
    ({ recording }) => {
      const block = recording.streams[0]?.connections[0]?.blocks[1];
      if (block?.type === 'event') block.data += ' ';
    },
  ],
]);

testChecker(everythingIsIdle, [
  ['jobs left in the queue', /7 jobs/, ({ stored }) => set(stored, { jobsLeft: 7 })],
  ['outboxes that are not empty', /7 outboxes/, ({ stored }) => set(stored, { outboxesLeft: 7 })],
  ['texts in quarantine', /in quarantine/, ({ stored }) => set(stored, { quarantined: 1 })],
  ['a pod that counts closed streams', /count 3/, ({ processes }) => set(processes[0], { streamsOpen: 3 })],
  ['a stream that has not reconnected', /have not reconnected/, (evidence) => set(evidence, { clientsOpen: 1 })],
  ['a process that is not ready', /not ready/, ({ processes }) => set(processes[1], { problems: 'tail: behind' })],
  ['a heap that grows', /heap of pod-0/, ({ processes }) => set(processes[0], { heapUsedBytes: 40_000_000 })],
]);

testChecker(noSilentHole, [
  [
    'a resume that skips an event',
    /a hole of 1 events/,
    ({ recording }) => void recording.streams[0]?.connections[1]?.blocks.splice(1, 1),
  ],
  [
    'a resume in another epoch',
    /another epoch/,
    ({ recording }) => {
      for (const block of recording.streams[0]?.connections[1]?.blocks ?? [])
        if (block.type === 'event') block.epoch = 'z1';
    },
  ],
  [
    'a resume that stream.open does not confirm',
    /has resumed: false/,
    ({ recording }) => {
      const open = recording.streams[0]?.connections[1]?.blocks[0];
      if (open?.type === 'message') open.data = { resumed: false };
    },
  ],
  [
    'a gap where nothing was lost',
    /got a gap/,
    ({ recording }) => {
      const gap = makeMessage('stream.gap', `${epoch}.1002.3`, { reason: 'trimmed' });
      const open = makeMessage('stream.open', `${epoch}.1002.3`, { resumed: false });
      recording.streams[0]?.connections[1]?.blocks.splice(0, 1, gap, open);
    },
  ],
]);

testChecker(nothingOutsideTheEntitlement, [
  [
    'an event outside the filter',
    /outside the filter/,
    // The filtered stream gets the first event of the stream that gets everything.
    ({ recording: { streams } }) =>
      void streams[1]?.connections[0]?.blocks.push(streams[0]!.connections[0]!.blocks[1]!),
  ],
  [
    'a revoked stream that does not end',
    /was not ended/,
    ({ recording }) => set(recording.streams[2]?.connections[0], { endedAtMs: null }),
  ],
  [
    'an event that was appended more than 2 s after the revocation of its stream',
    /got an event 2101 ms after/,
    // The last event of the revoked stream has the time 1 001 ms.
    ({ recording }) => set(recording.revocations[0], { acknowledgedAtWallMs: -1_100 }),
  ],
  [
    'a hook that is accepted more than 2 s after the revocation of its token',
    /accepted 2110 ms after/,
    ({ recording }) => set(recording.hooks.at(-1), { startedAtMs: 2_200 }),
  ],
  [
    'a stream that is requested more than 2 s after its revocation and opened',
    /was opened/,
    ({ recording }) => set(recording.streams[2]?.connections[0], { requestedAtMs: 3_000 }),
  ],
]);

testChecker(oneKeyOneWidget, [
  ['a widget that was answered 201 and is not stored', /is not stored/, ({ stored }) => void stored.widgets.pop()],
  [
    'two widgets with one key',
    /made several/,
    ({ stored }) => void stored.widgets.push({ ...stored.widgets[0]!, id: thirdWidgetId }),
  ],
  [
    'different bytes in a repeated answer',
    /different bytes/,
    ({ recording }) => set(recording.creates[1], { answer: `${recording.creates[1]?.answer} ` }),
  ],
  ['a creation that was not published', /published 0 times/, (evidence) => dropEvent(evidence, 1)],
  ['a creation that was published twice', /published 2 times/, (evidence) => appendAgain(evidence, 1)],
  [
    'a widget whose key has only refused requests',
    /every request with it was refused/,
    ({ recording }) => setAll(recording.creates.slice(0, 2), { outcome: 'refused', status: 409, answer: null }),
  ],
  [
    'a widget that was never requested',
    /never requested/,
    ({ stored }) => void stored.widgets.push({ ...stored.widgets[0]!, id: thirdWidgetId, idempotency: null }),
  ],
]);

testChecker(refusalsAreProblems, [
  ['a 500', /refused with 500/, ({ recording }) => set(recording.hooks[4], { status: 500 })],
  [
    'a permanent refusal of a valid request',
    /refused with 400/,
    ({ recording }) => set(recording.creates[0], { ...temporaryRefusal, status: 400 }),
  ],
  [
    'a refusal without a problem document',
    /by <html>/,
    ({ recording }) => set(recording.hooks[4]?.refusal ?? undefined, { body: '<html>' }),
  ],
  [
    'a refusal with another media type',
    /as text\/html/,
    ({ recording }) => set(recording.hooks[4]?.refusal ?? undefined, { contentType: 'text/html' }),
  ],
  [
    'a refusal without Retry-After',
    /without Retry-After/,
    ({ recording }) => set(recording.hooks[4]?.refusal ?? undefined, { retryAfter: null }),
  ],
  [
    'an EventSource that does not reconnect',
    /is CLOSED by 503/,
    ({ recording }) => set(recording.streams[0], { closedBy: { status: 503, isOurs: true } }),
  ],
  [
    'another success status than the contract',
    /answered 200/,
    ({ recording }) => set(recording.hooks[0], { status: 200 }),
  ],
]);

testChecker(versionsRise, [
  [
    'a version that decreases on a stream',
    /went from 3 to 2/,
    ({ recording: { streams } }) => {
      const [first, second] = streams[0]?.connections ?? [];
      const late = first?.blocks.pop();
      if (late !== undefined) second?.blocks.splice(2, 0, late);
    },
  ],
  [
    'a position that decreases on a connection',
    /came after/,
    ({ recording }) => void recording.streams[0]?.connections[1]?.blocks.reverse(),
  ],
  ['a hole in the numbers of the log', /has no event 5/, (evidence) => dropEvent(evidence, 5)],
  [
    'a version that the log skips',
    /version 3 of .* after version 1/,
    (evidence) => {
      dropEvent(evidence, 3);
      evidence.stored.log.forEach((record, index) => {
        record.seq = index + 1;
      });
      for (const stream of evidence.recording.streams) stream.connections = [];
    },
  ],
]);

testChecker(widgetsAreTheFold, [
  ['an effect too many', /not the fold/, ({ stored }) => set(stored.widgets[0], { version: 4 })],
  ['an effect too few', /not the fold/, ({ stored }) => set(stored.widgets[1], { version: 1 })],
  ['a retired widget that is active', /not the fold/, ({ stored }) => set(stored.widgets[0], { state: 'active' })],
  [
    'a time that is not the latest',
    /not the fold/,
    ({ stored }) => set(stored.widgets[1], { lastEventAt: '2026-01-01T00:00:01.000Z' }),
  ],
]);
