import { everyEventOnEveryStream } from './every-event-on-every-stream.ts';
import { testChecker } from './test-checker.ts';

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
