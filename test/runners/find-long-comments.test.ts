import { expect, test } from 'vitest';
import { findLongComments } from './find-long-comments.ts';

const words = 'word '.repeat(24);

test.each([
  ['a line comment', 'a.ts', `// ${words}`],
  ['a line of a block', 'a.ts', ` * ${words}`],
  ['a block of one line', 'a.tsx', `/** ${words}*/`],
  ['a comment after code', 'a.ts', `const a = 'text'; // ${words}`],
  ['a comment in SQL', 'a.sql', `-- ${words}`],
  ['a comment in Lua', 'a.lua', `  -- ${words}`],
  ['a comment in a shell script', 'a.sh', `# ${words}`],
  ['a comment in YAML', 'a.yaml', `  # ${words}`],
])('finds %s of more than 120 columns', (_, path, line) => {
  expect(findLongComments(path, `first\n${line}\nlast`)).toEqual([2]);
});

test.each([
  ['a comment of 120 columns', 'a.ts', `// ${'a '.repeat(58)}b`],
  ['a URL, which has no place to wrap', 'a.ts', `// https://example.com/${'a'.repeat(120)}`],
  ['a long text of the code', 'a.ts', `const text = 'https://example.com // ${words}';`],
  ['another kind of file', 'a.md', `# ${words}`],
])('accepts %s', (_, path, line) => {
  expect(findLongComments(path, line)).toEqual([]);
});
