import { refusedForNow } from './healthy-evidence.ts';
import { refusalsAreProblems } from './refusals-are-problems.ts';
import { checks } from './spoil.ts';

checks(refusalsAreProblems, [
  ['a 500', /refused with 500/, ({ recording }) => void Object.assign(recording.hooks[4]!, { status: 500 })],
  [
    'a refusal for good of what is right',
    /refused with 400/,
    ({ recording }) => void Object.assign(recording.creates[0]!, { ...refusedForNow, status: 400 }),
  ],
  [
    'a refusal that is no problem document',
    /by <html>/,
    ({ recording }) => void Object.assign(recording.hooks[4]?.refusal ?? {}, { body: '<html>' }),
  ],
  [
    'a refusal of another media type',
    /as text\/html/,
    ({ recording }) => void Object.assign(recording.hooks[4]?.refusal ?? {}, { contentType: 'text/html' }),
  ],
  [
    'a refusal that does not say when to come back',
    /without Retry-After/,
    ({ recording }) => void Object.assign(recording.hooks[4]?.refusal ?? {}, { retryAfter: null }),
  ],
  [
    'a browser that will not come back',
    /is CLOSED by 503/,
    ({ recording }) => void Object.assign(recording.streams[0]!, { closedBy: { status: 503, isOurs: true } }),
  ],
  [
    'another success than the contract’s',
    /answered 200/,
    ({ recording }) => void Object.assign(recording.hooks[0]!, { status: 200 }),
  ],
]);
