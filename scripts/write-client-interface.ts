/**
 * `npm run write:client-interface`: makes the types of `packages/client`, and what each operation answers, from the
 * OpenAPI document of the service. The files are not in git: `npm ci` and `npm run check:types` make them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { composePod } from '../apps/api/src/process/compose.ts';
import { openBackend } from '../apps/api/src/process/open-backend.ts';
import { parseSettings } from '../packages/shared/src/config/parse-settings.ts';
import { createLogger } from '../packages/shared/src/runtime/logger.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

type Responses = Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Responses }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What is deeper in an answer hardly tells whether it is one of this service, and takes bytes of each page. */
const depthMax = 1;
const client = new URL('../packages/client/', import.meta.url);
const document = await readDocument();
writeFileSync(new URL('src/interface.ts', client), await describeInterface(document));
writeFileSync(new URL('src/answers.ts', client), describeAnswers(document));
// Parts of the pod, which was never started, wait for their time.
process.exit();

async function readDocument(): Promise<OpenApiDocument> {
  const folder = mkdtempSync(`${tmpdir()}/widget-interface-`);
  const parsed = parseSettings({ DATA_DIR: folder, LOG_LEVEL: 'fatal' }, { app: 'api' });
  const logger = await createLogger({ level: 'fatal', isPretty: false });
  const backend = await openBackend(parsed, logger, (error) => {
    throw error;
  });
  const { app } = composePod({ settings: parsed.settings, backend, logger }, null);
  const answer = await app.inject('/api/v1/openapi.json');
  await app.close();
  await backend.close();
  rmSync(folder, { recursive: true });
  return answer.json();
}

async function describeInterface(described: OpenApiDocument): Promise<string> {
  // It brings a TypeScript of its own, so it is installed with the package, not at the root.
  const { default: makeTypes, astToString } = createRequire(new URL('package.json', client))('openapi-typescript');
  const types = astToString(await makeTypes(JSON.stringify(described, withoutExamples)))
    .replace('export interface paths', '/** Every operation of the service, by path and method. */\n$&')
    .replace('export interface components', '/** The shapes of requests and responses, in `schemas`. */\n$&');
  return `// Made from the OpenAPI document of the service by \`npm run write:client-interface\`.\n\n${types}`;
}

/** Leaves examples out: they are for readers of the document, and were an eighth of the file. */
function withoutExamples(key: string, value: unknown): unknown {
  return key === 'example' || key === 'examples' ? undefined : value;
}

function describeAnswers({ paths, components: { schemas } }: OpenApiDocument): string {
  /** The shapes that answers need, by name, each after those that it needs itself. */
  const shapes = new Map<string, string>();

  /** Returns the source text of a shape. See `Shape` in packages/client/src/requests/send.ts. */
  const writeShape = (schema: Schema, depth = 0): string => {
    const { $ref, type, anyOf, items, properties = {}, required = [] } = schema;
    if ($ref !== undefined) return writeNamedShape($ref.split('/').at(-1) ?? '');
    if (anyOf !== undefined) return writeUnion(anyOf.map((one) => writeShape(one, depth)));
    if (Array.isArray(type)) return writeUnion(type.map((one) => writeShape({ ...schema, type: one }, depth)));
    if (type === 'null') return 'null';
    if (type === 'integer' || type === 'number') return "'number'";
    if (type === 'string' || type === 'boolean') return `'${type}'`;
    if (type === 'array') return `[${writeShape(items ?? {}, depth)}]`;
    if (type !== 'object' || required.length === 0 || depth >= depthMax) return "'any'";
    return `{ ${required.map((name) => `${name}: ${writeShape(properties[name] ?? {}, depth + 1)}`).join(', ')} }`;
  };

  const writeNamedShape = (name: string): string => {
    // The shapes that it needs are written while this one is made, and so before it.
    if (!shapes.has(name)) shapes.set(name, writeShape(schemas[name] ?? {}));
    return name;
  };

  const answers = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) => {
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const content = successes[0]?.[1].content;
      const json = content?.['application/json'];
      // Streams are read in another way, and what redirects is for browsers.
      if (successes.length === 0 || (content !== undefined && json === undefined)) return [];
      const statuses = successes.map(([status]) => status).join(', ');
      const body = json === undefined ? 'null' : writeShape(json.schema);
      return [`  '${method.toUpperCase()} ${path}': { statuses: [${statuses}], body: ${body} },`];
    }),
  );
  const constants = [...shapes].map(([name, text]) => `const ${name}: Shape = ${text};`);
  return [
    '// Made from the OpenAPI document of the service by `npm run write:client-interface`.',
    "import type { Answer, Shape } from './requests/send.ts';",
    '',
    ...constants,
    '',
    '/** What each operation answers when it succeeds, by method and path. */',
    'export const answers: Readonly<Record<string, Answer>> = {',
    ...answers,
    '};',
    '',
  ].join('\n');
}

function writeUnion(shapes: readonly string[]): string {
  const others = [...new Set(shapes.filter((shape) => shape !== 'null'))];
  const only = others.length === 1 ? others[0] : "'any'";
  return shapes.includes('null') ? `{ '?': ${only} }` : `${only}`;
}
