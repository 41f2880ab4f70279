import { epoch, makeMessage } from './healthy-evidence.ts';
import { noSilentHole } from './no-silent-hole.ts';
import { testChecker } from './test-checker.ts';

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
      const { blocks = [] } = recording.streams[0]?.connections[1] ?? {};
      blocks.splice(
        0,
        1,
        makeMessage('stream.gap', `${epoch}.1002.3`, { reason: 'trimmed' }),
        makeMessage('stream.open', `${epoch}.1002.3`, { resumed: false }),
      );
    },
  ],
]);
