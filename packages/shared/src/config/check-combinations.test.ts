import { describe, expect, it } from 'vitest';
import { parseSettings } from './parse-settings.ts';

describe('settings that cannot work together', () => {
  it.each([
    [
      'a bound of connections that leaves none beside the streams',
      { CONNECTIONS_PER_POD: '100', STREAMS_PER_POD: '100' },
      /^CONNECTIONS_PER_POD, STREAMS_PER_POD: /,
    ],
    [
      'an event log smaller than one event',
      { EVENT_RETENTION_BYTES: '1048576', BODY_LIMIT_BYTES: '1048576' },
      /^EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES: /,
    ],
  ])('%s', (_, given, expected) => {
    const parse = () => parseSettings(given, { app: 'api', isTerminal: false });
    expect(parse).toThrow(expect.objectContaining({ exitCode: 78, lines: [expect.stringMatching(expected)] }));
  });
});
