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
    'a stream that is written to after its right',
    /was written to/,
    ({ recording }) => void Object.assign(recording.streams[2]!.connections[0]!, { lastBlockAtMs: 3_000 }),
  ],
  [
    'a stream that is opened after its right',
    /was opened/,
    ({ recording }) => void Object.assign(recording.streams[2]!.connections[0]!, { openedAtMs: 3_000 }),
  ],
]);
