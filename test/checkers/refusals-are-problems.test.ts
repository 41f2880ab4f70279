import { temporaryRefusal } from './healthy-evidence.ts';
import { refusalsAreProblems } from './refusals-are-problems.ts';
import { testChecker } from './test-checker.ts';

testChecker(refusalsAreProblems, [
  ['a 500', /refused with 500/, ({ recording }) => void Object.assign(recording.hooks[4]!, { status: 500 })],
  [
    'a permanent refusal of a valid request',
    /refused with 400/,
    ({ recording }) => void Object.assign(recording.creates[0]!, { ...temporaryRefusal, status: 400 }),
  ],
  [
    'a refusal without a problem document',
    /by <html>/,
    ({ recording }) => void Object.assign(recording.hooks[4]?.refusal ?? {}, { body: '<html>' }),
  ],
  [
    'a refusal with another media type',
    /as text\/html/,
    ({ recording }) => void Object.assign(recording.hooks[4]?.refusal ?? {}, { contentType: 'text/html' }),
  ],
  [
    'a refusal without Retry-After',
    /without Retry-After/,
    ({ recording }) => void Object.assign(recording.hooks[4]?.refusal ?? {}, { retryAfter: null }),
  ],
  [
    'an EventSource that does not reconnect',
    /is CLOSED by 503/,
    ({ recording }) => void Object.assign(recording.streams[0]!, { closedBy: { status: 503, isOurs: true } }),
  ],
  [
    'another success status than the one of the contract',
    /answered 200/,
    ({ recording }) => void Object.assign(recording.hooks[0]!, { status: 200 }),
  ],
]);
