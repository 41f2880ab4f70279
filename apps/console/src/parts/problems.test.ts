import { ProblemError, UnreachableError } from '@widget-service/client/requests/failures.ts';
import { describe, expect, test } from 'vitest';
import { describeMistake, describeProblem, describeUnreadable, nameMember, readMistakes } from './problems.ts';

const format = { code: 'format', detail: 'Does not have the right form.' } as const;
const short = { code: 'too-short', detail: 'Must be at least 12 characters long.', pointer: '#/password' } as const;
const inList = { ...format, pointer: '#/filter/widgetIds/0' };
const refusal = (...errors: { code: string; detail: string; pointer?: string }[]) =>
  new ProblemError({
    type: '/problems/invalid-request',
    title: 'Invalid request',
    detail: 'The request is not valid; "errors" names what is wrong.',
    status: 400,
    code: 'invalid-request',
    requestId: '01',
    errors,
  } as ProblemError['problem']);

describe('describeMistake', () => {
  test('finds the mistake of a member, and of what is in it', () => {
    expect(describeMistake([short, inList], '/password')).toBe('Must be at least 12 characters long.');
    expect(describeMistake([inList], '/filter/widgetIds')).toBe('Does not have the right form.');
    expect(describeMistake([short], '/pass')).toBeNull();
  });

  test('says once what the form must be', () => {
    const both = [inList, { ...format, pointer: '#/filter/widgetIds/1' }];
    expect(describeMistake(both, '/filter/widgetIds', 'Not a widget id.')).toBe('Not a widget id.');
  });
});

test('names a member', () => {
  expect(nameMember({ pointer: '#/labels/0' })).toBe('labels.0');
  expect(nameMember({ pointer: '#/a~1b/%C3%A4' })).toBe('a/b.ä');
  expect(nameMember({ pointer: '#/%zz' })).toBe('%zz');
  expect(nameMember({})).toBe('');
});

describe('describeProblem', () => {
  test('names the members of the mistakes that no field shows', () => {
    expect(describeProblem(refusal(short, inList))).toEqual({
      title: 'Invalid request',
      detail: 'password: Must be at least 12 characters long. filter.widgetIds.0: Does not have the right form.',
      requestId: '01',
    });
  });

  test('counts the mistakes that fields show', () => {
    const problem = refusal(short, { ...format, pointer: '#/password' }, inList);
    expect(describeProblem(problem, ['/password', '/filter/widgetIds'])).toMatchObject({
      title: '2 fields need attention',
      detail: '',
    });
    expect(describeProblem(problem, ['/password'])).toMatchObject({
      title: '1 field needs attention',
      detail: 'filter.widgetIds.0: Does not have the right form.',
    });
  });

  test('reads mistakes only from refusals', () => {
    expect(readMistakes(new Error('away'))).toEqual([]);
    const away = new UnreachableError('https://a.example', new Error('away'));
    expect(describeProblem(away)).toMatchObject({ title: "Can't reach the service", requestId: null });
  });

  test('does not blame the network for a mistake of the page', () => {
    expect(describeProblem(new TypeError('no such function'))).toEqual({
      title: 'The console has failed',
      detail: 'TypeError: no such function',
      requestId: null,
    });
  });
});

test.each([
  [{ items: [], unreadableItems: 1 }, /^1 item could not be read, and is missing here/],
  [{ items: [], unreadableItems: 3 }, /^3 items could not be read, and are missing here/],
])('an answer that leaves items out says so: %j', (answer, text) => {
  expect(describeUnreadable(answer)).toMatch(text);
});

test.each([[{ items: [] }], [[]], [null]])('nothing is said of %j', (answer) => {
  expect(describeUnreadable(answer)).toBeNull();
});
