import { expect, test } from 'vitest';
import { parseSettings } from './parse-settings.ts';

test('an event log that is smaller than one event is refused with 78 and the names of both settings', () => {
  const given = { EVENT_RETENTION_BYTES: '1048576', BODY_LIMIT_BYTES: '1048576' };
  const line = expect.stringMatching(/^EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES: /);
  const parse = () => parseSettings(given, { app: 'api' });
  expect(parse).toThrow(expect.objectContaining({ exitCode: 78, lines: [line] }));
});
