import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { readThreadMs } from '../drivers/tools/longest-turn.ts';
import { fillWithNames } from './different-names.ts';
import { parsersOfForeignText } from './parsers-of-foreign-text.ts';
import { takersOfOwnText } from './takers-of-own-text.ts';

const slowMs = 10;
/** A garbage collection may hit one attempt, not all of them. */
const attemptsMax = 5;
const length = 16_384;
const root = fileURLToPath(new URL('../../', import.meta.url));
/** Where foreign text is read. */
const folders = [
  'apps/api/src',
  'packages/client/src',
  'packages/shared/src/adapters',
  'packages/shared/src/domain',
  'packages/shared/src/metrics',
];

const repeated = [
  'a',
  'A',
  '0',
  '1',
  ' ',
  '/',
  '\\',
  '%',
  '.',
  ':',
  ';',
  ',',
  '=',
  '"',
  '-',
  '_',
  '{"',
  '[',
  '\t',
  'é',
];
/** How valid texts begin. After one of them, a pattern may be in the middle of a repetition. */
const beginnings = [
  '',
  'Version/',
  'Bearer ',
  '00-',
  'https://a',
  '/api/v1/events/',
  'whsec_',
  'wst_',
  'v1,',
  'kim@example.com',
  '2026-01-01T00:00:00.',
  '{"payload":"',
  '::ffff:',
  'service_console=',
  'application/openmetrics-text;q=',
];
/** What a repetition does not expect. */
const endings = ['', '!', ' Safari'];

/** Lists of different names, as senders write them. */
const lists = [
  fillWithNames((name) => `${name}=1&`, length),
  fillWithNames((name) => `${name}&`, length),
  fillWithNames((name) => `${name}=1; `, length),
  fillWithNames((name) => `${name},`, length),
  fillWithNames((name) => `${name} `, length),
  fillWithNames((name) => `/${name}`, length),
  `{${fillWithNames((name) => `"${name}":1,`, length)}"last":1}`,
  `[${fillWithNames((name) => `"${name}",`, length)}1]`,
];
const texts = [
  ...lists,
  ...repeated.flatMap((character) =>
    beginnings.flatMap((beginning) => endings.map((ending) => beginning + character.repeat(length) + ending)),
  ),
];

/** Returns the texts, cut, for which each of a few calls takes longer than 10 ms of processor time. */
function findSlowTexts(parse: (text: string) => unknown): string[] {
  const measureMs = (text: string): number => {
    const startedMs = readThreadMs();
    try {
      parse(text);
    } catch {
      // A refusal is an answer, too.
    }
    return readThreadMs() - startedMs;
  };
  return texts
    .filter((text) => {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) if (measureMs(text) <= slowMs) return false;
      return true;
    })
    .map((text) => `${text.slice(0, 40)}…${text.slice(-10)}`);
}

test.each(Object.entries(parsersOfForeignText))('%s reads any 16 KiB within 10 ms', (_, parse) => {
  expect(findSlowTexts(parse)).toEqual([]);
});

describe('the schemas', async () => {
  const folder = join(root, 'apps/api/src');
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (name) => /^schemas\/[^/]*(?<!\.test)\.ts$/.test(name) || name.endsWith('-schema.ts'),
  );
  const modules = await Promise.all(files.map((name) => import(join(folder, name)) as Promise<object>));
  const schemas = modules.flatMap((module) => Object.entries(module).filter(isSchema));

  test.each(schemas)('%s reads any 16 KiB within 10 ms', (_, schema) => {
    const names = Object.keys(schema.shape ?? {});
    const fill = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
    const slow = findSlowTexts((text) => {
      schema.safeParse(text);
      schema.safeParse(fill(text));
      schema.safeParse(fill([text]));
    });
    expect(slow).toEqual([]);
  });
});

/** The part of a zod schema that the test uses. */
interface Schema {
  safeParse(value: unknown): unknown;
  readonly shape?: object;
}

function isSchema(entry: [string, unknown]): entry is [string, Schema] {
  return typeof (entry[1] as Partial<Schema> | null)?.safeParse === 'function';
}

/** The exported functions of a file of which a parameter is a text or a list of texts. */
function listTextTakers(path: string): string[] {
  interface Node {
    readonly type: string;
    // biome-ignore lint/suspicious/noExplicitAny: the members differ from type to type.
    readonly [member: string]: any;
  }
  const isText = (type: Node | undefined): boolean => {
    if (type === undefined || type === null) return false;
    if (type.type === 'TSStringKeyword') return true;
    return [type.typeAnnotation, type.elementType, ...(type.types ?? [])].some(isText);
  };
  const { body } = parseAst(readFileSync(path, 'utf8'), { lang: 'tsx' }) as unknown as { readonly body: Node[] };
  return body
    .map(({ type, declaration }) => (type === 'ExportNamedDeclaration' ? declaration : null))
    .filter((declaration) => declaration?.type === 'FunctionDeclaration')
    .filter(({ params }) => params.some((param: Node) => isText((param.left ?? param).typeAnnotation)))
    .map(({ id }) => id.name);
}

test('every exported function that takes a text is in the list of parsers, or in that of functions with own texts', () => {
  const files = folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
    )
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|\/testing\//.test(path));
  const functions = files.flatMap(listTextTakers);
  const listed = [...Object.keys(parsersOfForeignText), ...takersOfOwnText];
  expect(functions.filter((name) => !listed.includes(name))).toEqual([]);
  expect(takersOfOwnText.filter((name) => !functions.includes(name))).toEqual([]);
});
