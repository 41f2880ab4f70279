import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { completeWords, scripts } from './command-line.ts';
import { commands } from './commands.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const hasShell = (name: string) => spawnSync(name, ['--version']).status === 0;

/** What bash offers after these words. The last one is not complete. */
function completeInBash(...words: string[]): string[] {
  const typed = ['widgetctl', ...words].map((word) => `'${word}'`).join(' ');
  const script = `widgetctl() { '${process.execPath}' '${main}' "$@"; }
${scripts.bash}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _widgetctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion', () => {
  test.each([
    [['wid'], ['widgets']],
    [
      ['widgets', ''],
      ['list', 'create', 'get', 'history'],
    ],
    [['widgets', 'list', '--st'], ['--state']],
    [['--json', 'widgets', 'list', '--state', 'r'], ['retired']],
    [['deliveries', 'get', 'an-id', '--js'], ['--json']],
    [
      ['tail', '--kind', ''],
      ['created', 'updated', 'retired'],
    ],
    [['users', 'create', 'a@b.c', '--role=editor', '--ro'], ['--role']],
  ])('offers after %j: %j', (words, offered) => {
    expect(completeWords(words, commands)).toEqual(offered);
  });

  test('offers every command first', () => {
    expect(completeWords([''], commands)).toEqual([...new Set(commands.map(({ name }) => name.split(' ')[0]))]);
  });

  test.runIf(hasShell('bash'))('works in bash', () => {
    expect(completeInBash('widgets', '')).toEqual(['list', 'create', 'get', 'history']);
    expect(completeInBash('widgets', 'list', '--state', 'r')).toEqual(['retired']);
  });

  test.runIf(hasShell('fish'))('works in fish', () => {
    const script = `function widgetctl; '${process.execPath}' '${main}' $argv; end; ${scripts.fish}; complete -C 'widgetctl wid'`;
    expect(spawnSync('fish', ['-c', script], { encoding: 'utf8' }).stdout).toBe('widgets\n');
  });
});
