import { describe, expect, test } from 'vitest';
import { findSuperLinearPatterns } from './find-super-linear-patterns.ts';

describe('the check of patterns', () => {
  test.each([
    ['an exponential one', 'const a = /^(\\w+\\s?)*$/;', /exponential/],
    ['two repetitions that match the same characters', 'x.match(/Version\\/(\\d+)[^ ]* Safari/)', /polynomial/],
    ['a repetition that a search starts anew at each character', 'x.replace(/\\/+$/, "")', /2nd degree/],
    ['a repetition after a fixed text', '/key=(.*);/.exec(x)', /2nd degree/],
    ['one in a call of RegExp', 'new RegExp("(a|a)*$", "u")', /exponential/],
    ['one in a template of constants', 'const part = "a+"; RegExp(`($' + '{part})+$`)', /exponential/],
    ['one in JSX', 'const page = <p title={x}>{x.replace(/\\s+$/, "")}</p>;', /2nd degree/],
    ['one whose text is not known', 'export const find = (word: string) => new RegExp(word);', /not a constant/],
    ['one that the checker cannot read', '/[\\p{L}--[a]]+$/v.test(x)', /cannot be checked/],
  ])('refuses %s', (_, code, reason) => {
    expect(findSuperLinearPatterns(code)).toMatchObject([{ line: 1, reason: expect.stringMatching(reason) }]);
  });

  test('names the line and the pattern', () => {
    const found = findSuperLinearPatterns('const a: string = "x";\n\nexport const b = /a+b/g.test(a);\n');
    expect(found).toMatchObject([{ line: 3, pattern: '/a+b/g' }]);
  });

  test.each([
    '/^a+$/',
    '/\\bChrome\\/(\\d+)/',
    '/a{1,20}b/',
    '/"at":"([^"]+)"/',
    'const c = "a-z"; new RegExp(`[$' + '{c}]`)',
    '"/(a+)+$/"',
  ])('accepts %s', (code) => expect(findSuperLinearPatterns(code)).toEqual([]));
});
