import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { completeWords, makeCommand, parseCommandLine, scripts } from './command-line.ts';
import { commands } from './commands.ts';
import { UsageError } from './failures.ts';

const run = async () => undefined;
const someCommands = [
  makeCommand('tail', '', { 'kind KIND': { choices: ['a', 'b'], isRepeated: true, text: '' } }, run),
  makeCommand('widgets list', '', { 'limit N': { min: 1, text: '' } }, run),
  makeCommand('widgets get ID', '', {}, run),
  makeCommand('redrive INTEGRATION EVENT…?', '', {}, run),
];
const parse = (...args: string[]) => parseCommandLine(args, someCommands);

describe('the command line', () => {
  test('names a command of one or two words, with options anywhere', () => {
    expect(parse('tail').command?.name).toBe('tail');
    expect(parse('--json', 'widgets', 'get', '7').command?.name).toBe('widgets get');
    expect(parse('widgets', 'get', '7').input.parameters).toEqual(['7']);
    expect(parse('--help').command).toBeUndefined();
  });

  test.each([
    [['--url', 'http://x', 'widgets', 'get', '7']],
    [['--url=http://x', '--json', 'widgets', 'get', '7']],
    [['widgets', '--url', 'http://x', 'get', '7']],
    [['--limit', '3', '--url', 'http://x', 'widgets', 'list']],
    [['--', 'widgets', 'get', '--url']],
    [['widgets', 'get', '--', '-7']],
  ])('with the words %j is understood, wherever the options stand', (args) => {
    const { command, input } = parse(...args);
    expect(command?.name).toBe(args.includes('list') ? 'widgets list' : 'widgets get');
    expect(input.value('url')).toBe(args.includes('--') ? undefined : 'http://x');
    expect(input.parameters).toEqual(args.includes('list') ? [] : [args.at(-1)]);
  });

  test.each([
    [['-h'], undefined],
    [['-h', 'widgets', 'get'], 'widgets get'],
    [['widgets', '-h', 'get'], 'widgets get'],
    [['tail', '--url', 'http://x', '-h'], 'tail'],
    [['widgets', '-h'], undefined],
  ])('asks for help with %j', (args, name) => {
    const { command, input } = parse(...args);
    expect([input.has('help'), command?.name]).toEqual([true, name]);
  });

  test('has values of options, the last one of each, or all', () => {
    const { input } = parse('tail', '--kind', 'a', '--kind=b', '--url', 'http://x');
    expect([input.value('kind'), input.values('kind'), input.value('url')]).toEqual(['b', ['a', 'b'], 'http://x']);
    expect([input.has('json'), input.has('kind'), input.value('position')]).toEqual([false, true, undefined]);
  });

  test('may have any number of parameters at the end', () => {
    expect(parse('redrive', 'i').input.parameters).toEqual(['i']);
    expect(parse('redrive', 'i', 'e', 'f').input.parameters).toEqual(['i', 'e', 'f']);
  });

  test.each([
    [['wigets'], /no command "wigets"/],
    [['widgets'], /"widgets" is not complete. Its commands are: widgets list, widgets get\./],
    [['widgets', 'get', '1', '2'], /"2" is too much/],
    [['tail', '--kind', 'c'], /one of a, b/],
    [['tail', '--limit', '3'], /limit/],
    [['tail', '--kind'], /kind/],
    [['widgets', 'list', '--json=yes'], /json/],
  ])('%j is a mistake that is named', (args, message) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(message);
  });

  test('gives help even if parameters are missing', () => {
    expect(parse('widgets', 'get', '--help').command?.name).toBe('widgets get');
  });

  test.each(['0', '-1', '1.5', 'x', ''])('"%s" is no number from 1', (text) => {
    expect(() => parse('widgets', 'list', `--limit=${text}`)).toThrow(/must be a number from 1/);
  });
});

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
