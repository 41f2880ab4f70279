import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const nasty = 'x\u001b[2J\u007f\u009b2J\u2028\u202ey';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no line may hold.
const raw = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

async function open(isPretty: boolean) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { logger: await createLogger({ level: 'info', isPretty, destination }), read: () => lines.join('') };
}

async function collectLines(isPretty: boolean): Promise<string> {
  const { logger, read } = await open(isPretty);
  logger.info({ webhookId: nasty, [nasty]: { nested: [nasty] } }, nasty);
  logger.error({ err: Object.assign(new Error(nasty, { cause: new Error(nasty) }), { code: nasty }) }, 'failed');
  return read();
}

describe('a log line with foreign text', () => {
  test('holds no control character, and the same values', async () => {
    const text = await collectLines(false);
    expect(text).not.toMatch(raw);
    const [first = '', second = ''] = text.split('\n');
    expect(JSON.parse(first)).toMatchObject({ webhookId: nasty, [nasty]: { nested: [nasty] }, msg: nasty });
    expect(JSON.parse(second).err).toMatchObject({ message: nasty, code: nasty, cause: { message: nasty } });
  });

  test('holds none for a terminal either, except colours', async () => {
    const text = await collectLines(true);
    expect(stripVTControlCharacters(text)).not.toMatch(raw);
    expect(text).toContain('x\\u001b[2J\\u007f\\u009b2J\\u2028\\u202ey');
  });
});

test('a message with line feeds stays one line for a terminal', async () => {
  const { logger, read } = await open(true);
  logger.info('one\n[00:00] INFO: forged');
  expect(read().trimEnd().split('\n')).toHaveLength(1);
});
