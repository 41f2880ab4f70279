import { nothingOutsideTheRight } from './nothing-outside-the-right.ts';
import { checks } from './spoil.ts';

checks(nothingOutsideTheRight, [
  [
    'an event outside the filter',
    /outside the filter/,
    ({ recording: { streams } }) =>
      void streams[1]?.connections[0]?.blocks.push(streams[0]!.connections[0]!.blocks[1]!),
  ],
  [
    'a stream that outlives its right',
    /was not ended/,
    ({ recording }) => void Object.assign(recording.streams[2]!.connections[0]!, { endedAtMs: null }),
  ],
  [
    'a stream that is sent what happened after its right',
    /was sent what happened 2101 ms after/,
    ({ recording }) => void Object.assign(recording.revocations[0]!, { acknowledgedAtWallMs: -1_100 }),
  ],
  [
    'a stream that is opened after its right',
    /was opened/,
    ({ recording }) => void Object.assign(recording.streams[2]!.connections[0]!, { requestedAtMs: 3_000 }),
  ],
]);
