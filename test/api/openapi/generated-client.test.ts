import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchOpenApiDocument, type OpenApiDocument } from '../../drivers/openapi-document.ts';
import { openTestService } from '../../drivers/test-service.ts';

const program = fileURLToPath(new URL('../../client/every-operation.ts', import.meta.url));
const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
/** Among the modules, so that the program's own imports are found from there. */
const folderOfFolders = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

let document: OpenApiDocument;
let folder: string;
beforeAll(async () => {
  const service = await openTestService();
  document = await fetchOpenApiDocument(service);
  await service.close();
  await mkdir(folderOfFolders, { recursive: true });
  folder = await mkdtemp(join(folderOfFolders, 'client-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a client generated from the document type-checks a program that uses every operation', async () => {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'interface.ts'), astToString(await generate(document)));
  await copyFile(program, join(folder, 'every-operation.ts'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  expect(await typeCheck(folder)).toBe('');
}, 60_000);

test('the program uses every operation', async () => {
  const text = await readFile(program, 'utf8');
  const used = [...text.matchAll(/client\s*\.(GET|POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g)].map(([, method, path]) => {
    return `${method} ${path}`;
  });
  const described = Object.entries(document.paths).flatMap(([path, operations]) => {
    return Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`);
  });
  const missing = described.filter((place) => !used.includes(place));
  expect(missing, 'to be used in test/client/every-operation.ts').toEqual([]);
  expect(used.filter((place) => !described.includes(place))).toEqual([]);
});

/** A member that has a default may be left out of what is sent; the generator has to be told. */
function generate(described: OpenApiDocument): ReturnType<typeof openapiTypescript> {
  return openapiTypescript(JSON.stringify(described), { defaultNonNullable: false });
}

const configuration = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  },
  include: ['*.ts'],
};

/** What the compiler complains of; nothing when all is well. */
function typeCheck(project: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '--project', project, '--pretty', 'false'], (error, stdout, stderr) => {
      resolve(error === null ? '' : `${stdout}${stderr}` || String(error));
    });
  });
}
