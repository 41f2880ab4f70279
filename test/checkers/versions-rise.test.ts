import { dropEvent, testChecker } from './test-checker.ts';
import { versionsRise } from './versions-rise.ts';

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
