import { expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { ExitError, exitCodes } from './exit-error.ts';
import { getLogOutput } from './log-output.ts';
import { reportToStandardError } from './run-process.ts';

test.each([
  [
    'the message of an ExitError',
    new ExitError(exitCodes.configuration, 'PORT: 70000 is too large'),
    /^PORT: 70000 is too large\n$/,
  ],
  [
    'the text for operators of a ServiceError',
    new UnavailableError('MongoDB did not answer'),
    /^MongoDB did not answer\n$/,
  ],
  ['the stack of any other error', new TypeError('a bug'), /^TypeError: a bug\n {4}at /],
])('reportToStandardError writes %s', (_, error, text) => {
  const write = vi.spyOn(getLogOutput(2), 'write').mockReturnValue();
  onTestFinished(() => write.mockRestore());
  reportToStandardError(error);
  expect(write.mock.calls.flat().join('')).toMatch(text);
});
