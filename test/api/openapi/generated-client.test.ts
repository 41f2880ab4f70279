import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { fetchOpenApiDocument } from '../../drivers/app/openapi-document.ts';
import { openTestService } from '../../drivers/app/test-service.ts';

const program = fileURLToPath(new URL('../../foreign-clients/openapi-fetch/every-operation.ts', import.meta.url));
/** Made from the document by `npm run write:client-interface`. */
const types = fileURLToPath(import.meta.resolve('@widget-service/client/interface.ts'));
const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
/** Inside node_modules, so that the imports of the program resolve. */
const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

const service = await openTestService();
const document = await fetchOpenApiDocument(service);
await service.close();
await mkdir(cacheFolder, { recursive: true });
const folder = await mkdtemp(join(cacheFolder, 'client-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a program that calls every operation type-checks against the types generated from the document', async () => {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await copyFile(types, join(folder, 'interface.ts'));
  await copyFile(program, join(folder, 'every-operation.ts'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(compilerConfiguration));
  expect(await typeCheck(folder)).toBe('');
}, 60_000);

test('test/foreign-clients/openapi-fetch/every-operation.ts calls every described operation and no other', async () => {
  const text = await readFile(program, 'utf8');
  const used = [...text.matchAll(/client\s*\.(GET|POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g)].map(([, method, path]) => {
    return `${method} ${path}`;
  });
  const described = Object.entries(document.paths).flatMap(([path, operations]) => {
    return Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`);
  });
  const missing = described.filter((endpoint) => !used.includes(endpoint));
  expect(missing, 'operations that test/foreign-clients/openapi-fetch/every-operation.ts does not call').toEqual([]);
  expect(used.filter((endpoint) => !described.includes(endpoint))).toEqual([]);
});

const compilerConfiguration = {
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

/** The output of the compiler, or an empty string when there are no errors. */
function typeCheck(project: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '--project', project, '--pretty', 'false'], (error, stdout, stderr) => {
      resolve(error === null ? '' : `${stdout}${stderr}` || String(error));
    });
  });
}
