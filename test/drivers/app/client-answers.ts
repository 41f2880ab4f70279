import type { Json, OpenApiDocument } from './openapi-document.ts';

/** The file of `packages/client` that says what each operation answers. It is made from the OpenAPI document, too. */
export const clientAnswersFile = new URL('../../../packages/client/src/answers.ts', import.meta.url);

/** What is deeper in an answer hardly tells whether it is one of this service, and takes bytes of each page. */
const depthMax = 1;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The text of that file. */
export function generateClientAnswers({ paths, components }: OpenApiDocument): string {
  const schemas = components.schemas as Readonly<Record<string, Schema>>;
  /** The shapes that answers need, by name, each after those that it needs itself. */
  const shapes = new Map<string, string>();

  /** Returns the source text of a shape. See `Shape` in packages/client/src/requests/shape.ts. */
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
      const body = json === undefined ? 'null' : writeShape(json.schema as Json & Schema);
      return [`  '${method.toUpperCase()} ${path}': { statuses: [${statuses}], body: ${body} },`];
    }),
  );
  const constants = [...shapes].map(([name, text]) => `const ${name}: Shape = ${text};`);
  return [
    '// Made from the OpenAPI document of the service by `npm run write:client-interface`. Do not edit.',
    "import type { Answer, Shape } from './requests/shape.ts';",
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

/** A value that may be null, or of several types. */
function writeUnion(shapes: readonly string[]): string {
  const others = [...new Set(shapes.filter((shape) => shape !== 'null'))];
  const only = others.length === 1 ? others[0] : "'any'";
  return shapes.includes('null') ? `{ '?': ${only} }` : `${only}`;
}
