import { eachHookOnce } from './each-hook-once.ts';
import { deriveHookId } from './healthy-evidence.ts';
import { appendAgain, dropEvent, testChecker } from './test-checker.ts';

testChecker(eachHookOnce, [
  ['an accepted hook without an event', /has no event/, (evidence) => dropEvent(evidence, 3)],
  ['a hook with two events', /several events/, (evidence) => appendAgain(evidence, 3)],
  ['a hook published again in a new epoch', /several epochs/, (evidence) => appendAgain(evidence, 3, 'z1')],
  [
    'a hook that is published and a dead letter',
    /is dead/,
    ({ stored }) =>
      void stored.deliveries.forEach((row) => {
        row.state = 'dead';
      }),
  ],
  [
    'a hook that is not marked published',
    /is received/,
    ({ stored }) =>
      void stored.deliveries.forEach((row) => {
        row.state = 'received';
      }),
  ],
  ['a hook that is not in the ledger', /not in the ledger/, ({ stored }) => void stored.deliveries.shift()],
  [
    'an event of a hook that was refused permanently',
    /was refused/,
    ({ recording }) => void Object.assign(recording.hooks[3] ?? {}, { outcome: 'refused', status: 400 }),
  ],
  ['an event of a hook that was never sent', /was never sent/, ({ recording }) => void recording.hooks.splice(3, 1)],
  [
    'two hooks with one id that differ in one digit',
    /several payloads/,
    ({ recording }) => void Object.assign(recording.hooks[1] ?? {}, { payload: '{"n":9007199254740992}' }),
  ],
  [
    'an event whose payload has another digit',
    /another payload/,
    ({ recording }) => void Object.assign(recording.hooks[5] ?? {}, { payload: '{"n":9007199254740992}' }),
  ],
  [
    'an answer with another id',
    /another id/,
    ({ recording }) => void Object.assign(recording.hooks[0] ?? {}, { answeredEventId: deriveHookId(4) }),
  ],
]);
