import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { commands } from './commands.ts';
import { formatCompletion } from './completion.ts';

const hasShell = (name: string) => spawnSync(name, ['--version']).status === 0;

/** What bash offers after these words. The last one is not complete. */
function completeInBash(...words: string[]): string[] {
  const typed = ['widgetctl', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${formatCompletion('bash', commands)}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _widgetctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe.runIf(hasShell('bash'))('in bash', () => {
  test.each([
    [['wid'], ['widgets']],
    [
      ['widgets', ''],
      ['list', 'create', 'get', 'history'],
    ],
    [['widgets', 'list', '--st'], ['--state']],
    [['widgets', 'list', '--state', 'r'], ['retired']],
    [['deliveries', 'get', 'an-id', '--js'], ['--json']],
    [
      ['tail', '--kind', ''],
      ['created', 'updated', 'retired'],
    ],
  ])('after %j come %j', (words, offered) => {
    expect(completeInBash(...words)).toEqual(offered);
  });

  test('the first word is any command', () => {
    expect(completeInBash('')).toEqual([...new Set(commands.map(({ name }) => name.split(' ')[0]))]);
  });
});

test.runIf(hasShell('fish'))('in fish the script is valid', () => {
  expect(spawnSync('fish', ['--no-execute'], { input: formatCompletion('fish', commands) }).status).toBe(0);
});

test('every command and option is in the script of fish', () => {
  const script = formatCompletion('fish', commands);
  for (const { name, options = {} } of commands) {
    for (const word of name.split(' ')) expect(script).toContain(word);
    for (const option of Object.keys(options)) expect(script).toContain(`-l ${option}`);
  }
});
