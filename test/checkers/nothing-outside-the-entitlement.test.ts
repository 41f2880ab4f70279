import { nothingOutsideTheEntitlement } from './nothing-outside-the-entitlement.ts';
import { testChecker } from './test-checker.ts';

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
    ({ recording }) => void Object.assign(recording.streams[2]!.connections[0]!, { endedAtMs: null }),
  ],
  [
    'an event that was appended more than 2 s after the revocation of its stream',
    /got an event 2101 ms after/,
    // The last event of the revoked stream has the time 1 001 ms.
    ({ recording }) => void Object.assign(recording.revocations[0]!, { acknowledgedAtWallMs: -1_100 }),
  ],
  [
    'a stream that is requested more than 2 s after its revocation and opened',
    /was opened/,
    ({ recording }) => void Object.assign(recording.streams[2]!.connections[0]!, { requestedAtMs: 3_000 }),
  ],
]);
