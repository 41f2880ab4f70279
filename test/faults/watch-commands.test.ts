import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { type WatchedCommand, watchCommands } from './watch-commands.ts';

test('every command is told, also those that come with the answer', async () => {
  const redis = createServer((socket) => {
    socket.once('data', () =>
      socket.write(
        '+OK\r\n' +
          '+1795315059.652481 [0 127.0.0.1:40000] "XREVRANGE" "a \\"quoted\\" key" "+" "-" "COUNT" "1"\r\n' +
          '+1795315059.652482 [0 lua] "XRANGE" "log"\r\n' +
          '+1795315059.652483 [0 unix:/a socket] "PI',
      ),
    );
    socket.once('data', () => setImmediate(() => socket.write('NG"\r\n')));
  });
  redis.listen(0, '127.0.0.1');
  await once(redis, 'listening');
  onTestFinished(() => void redis.close());

  const told: WatchedCommand[] = [];
  const { stop } = await watchCommands(redis.address() as AddressInfo, (command) => told.push(command));
  onTestFinished(stop);
  await eventually(async () => told.length === 3, 'all are told');
  expect(told).toEqual([
    { name: 'xrevrange', arguments: ['a \\"quoted\\" key', '+', '-', 'COUNT', '1'], isOfScript: false },
    { name: 'xrange', arguments: ['log'], isOfScript: true },
    { name: 'ping', arguments: [], isOfScript: false },
  ]);
});
