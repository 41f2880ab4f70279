import { epoch, messageOf } from './healthy-evidence.ts';
import { noSilentHole } from './no-silent-hole.ts';
import { checks } from './spoil.ts';

checks(noSilentHole, [
  [
    'a resume that leaves an event out',
    /a hole of 1 events/,
    ({ recording }) => void recording.streams[0]?.connections[1]?.blocks.splice(1, 1),
  ],
  [
    'a resume in another epoch',
    /another epoch/,
    ({ recording }) => {
      for (const each of recording.streams[0]?.connections[1]?.blocks ?? [])
        if (each.type === 'event') each.epoch = 'z1';
    },
  ],
  [
    'a resume that is not said to be one',
    /said resumed: false/,
    ({ recording }) => {
      const open = recording.streams[0]?.connections[1]?.blocks[0];
      if (open?.type === 'message') open.data = { resumed: false };
    },
  ],
  [
    'a gap where nothing was lost',
    /told of a gap/,
    ({ recording }) => {
      const { blocks = [] } = recording.streams[0]?.connections[1] ?? {};
      blocks.splice(
        0,
        1,
        messageOf('stream.gap', `${epoch}.1002.3`, { reason: 'trimmed' }),
        messageOf('stream.open', `${epoch}.1002.3`, { resumed: false }),
      );
    },
  ],
]);
