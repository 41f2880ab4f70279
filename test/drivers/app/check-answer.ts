import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  type Json,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
  resolveResponses,
} from './openapi-document.ts';

export interface CheckedAnswer {
  readonly method: string;
  readonly url: string;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
}

/** Problems that no operation declares: errors before routing, and faults. The document's introduction lists them. */
const codesOutsideOperations = [
  'malformed-request',
  'host-not-allowed',
  'uri-too-long',
  'headers-too-large',
  'request-timeout',
  'expectation-failed',
  'method-not-allowed',
  'internal',
];

/** Not part of the interface: its description, the HTML pages, and files of the whole host. */
const pathsOutsideInterface =
  /^\/(?:api\/v1\/(?:openapi|asyncapi)\.json|console(?:\/.*)?|docs(?:\/.*)?|problems(?:\/.*)?|favicon\.ico|\.well-known\/security\.txt)?$/;

/**
 * Returns a check of answers against the OpenAPI document. The operation must declare the status and the problem code.
 * Headers and body must match their schemas and must not hold anything undeclared. The check throws an error that lists
 * every mistake.
 */
export function createAnswerCheck(document: OpenApiDocument): (answer: CheckedAnswer) => void {
  const schemas = new SchemaSet(document);
  const paths = compilePaths(resolveResponses(document));
  return (answer) => {
    const operation = findOperation(paths, answer);
    if (operation === null) return;
    const mistakes = findMistakes(answer, operation, schemas);
    if (mistakes.length === 0) return;
    const { method, url, statusCode } = answer;
    const place = `${method} ${url.slice(0, 100)} answered ${statusCode}, which differs from the document`;
    throw new Error([`${place} (${operation.operationId}):`, ...mistakes].join('\n- '));
  };
}

/** Returns a function that lists how a value differs from a schema of the document. */
export function createSchemaCheck(document: OpenApiDocument): (schema: Json, value: unknown) => string[] {
  const schemas = new SchemaSet(document);
  return (schema, value) => schemas.findMistakes(schema, value);
}

/** Returns the operation that answered, or null if no operation declares this answer. */
function findOperation(paths: readonly CompiledPath[], answer: CheckedAnswer): OpenApiOperation | null {
  const path = answer.url.split(/[?#]/, 1)[0] ?? '';
  if (pathsOutsideInterface.test(path)) return null;
  // The answer to a handshake is for a foreign sender, whose requests and answers its own documentation describes.
  if (path.startsWith('/api/v1/events/hooks/') && answer.statusCode === 200) return null;
  // Where GET has effects there is no HEAD.
  if (answer.method === 'HEAD' && answer.statusCode === 405) return null;
  // HEAD is GET without a body. OPTIONS is a preflight of a browser, which the document does not describe.
  const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
  const operation = paths.find(({ pattern }) => pattern.test(path))?.operations[method];
  if (operation === undefined) {
    const isExpected = answer.statusCode === 404 || answer.statusCode === 405 || answer.method === 'OPTIONS';
    if (isExpected || codesOutsideOperations.includes(readProblemCode(answer))) return null;
    throw new Error(`${answer.method} ${path} answered ${answer.statusCode}, but the document does not describe it`);
  }
  return codesOutsideOperations.includes(readProblemCode(answer)) ? null : operation;
}

interface CompiledPath {
  readonly pattern: RegExp;
  readonly operations: Readonly<Record<string, OpenApiOperation>>;
}

/** The paths of the document. A path without a parameter comes before those with one, and wins. */
function compilePaths({ paths }: OpenApiDocument): readonly CompiledPath[] {
  return Object.entries(paths)
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)
    .map(([path, operations]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]*')}$`),
      operations,
    }));
}

/** Returns the problem code of an answer, or an empty string if the answer is not a problem. */
function readProblemCode({ headers, body }: CheckedAnswer): string {
  if (!String(headers['content-type']).startsWith('application/problem+json') || body === '') return '';
  return String((JSON.parse(body) as { code?: unknown }).code);
}

function findMistakes(answer: CheckedAnswer, operation: OpenApiOperation, schemas: SchemaSet): string[] {
  const response = operation.responses[String(answer.statusCode)];
  if (response === undefined) return [`the status is not declared; the code is "${readProblemCode(answer)}"`];
  return [
    ...findHeaderMistakes(answer, response, schemas),
    ...(answer.method === 'HEAD' ? [] : findBodyMistakes(answer, response, schemas)),
  ];
}

function findHeaderMistakes(answer: CheckedAnswer, response: OpenApiResponse, schemas: SchemaSet): string[] {
  const mistakes: string[] = [];
  for (const [name, { $ref }] of Object.entries(response.headers)) {
    const value = answer.headers[name.toLowerCase()];
    const header = schemas.resolve($ref);
    if (value === undefined) {
      if (header.required === true) mistakes.push(`the header ${name} is missing`);
    } else {
      mistakes.push(...schemas.findMistakes(header.schema as Json, String(value)).map((text) => `${name}: ${text}`));
    }
  }
  const undeclared = schemas.headerNames.filter(
    (name) => !(name in response.headers) && name.toLowerCase() in answer.headers,
  );
  return [...mistakes, ...undeclared.map((name) => `the header ${name} is not declared`)];
}

function findBodyMistakes(answer: CheckedAnswer, { content }: OpenApiResponse, schemas: SchemaSet): string[] {
  if (content === undefined) return answer.body === '' ? [] : ['the answer has a body, but none is declared'];
  const type = String(answer.headers['content-type']);
  const [typeWithoutParameters = ''] = type.split(';');
  const media = content[typeWithoutParameters];
  if (media === undefined) return [`the content type ${type} is not declared`];
  if (typeWithoutParameters === 'text/event-stream') return [];
  const value: unknown = JSON.parse(answer.body);
  const code = readProblemCode(answer);
  return [
    ...(code !== '' && media.examples?.[code] === undefined ? [`the code "${code}" is not declared`] : []),
    ...schemas.findMistakes(media.schema, value),
  ];
}

/** The document's schemas. Each is compiled at its first use. */
class SchemaSet {
  readonly headerNames: readonly string[];
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    // Clients must ignore unknown members. The service must not send a member that the document does not describe.
    this.#document = closeObjects(document) as OpenApiDocument;
    this.headerNames = Object.keys(document.components.headers ?? {}).filter((name) => !name.startsWith('Optional-'));
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, 'document');
  }

  resolve(reference: string): Json {
    const [, , kind = '', name = ''] = reference.split('/');
    return this.#document.components[kind]?.[name] ?? {};
  }

  findMistakes(schema: Json, value: unknown): string[] {
    const text = JSON.stringify(schema);
    const validate = this.#compiled.get(text) ?? this.#compile(schema);
    this.#compiled.set(text, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => {
      return `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`.trim();
    });
  }

  #compile(schema: Json): ValidateFunction {
    const text = JSON.stringify(closeObjects(schema)).replaceAll('"$ref":"#/', '"$ref":"document#/');
    return this.#ajv.compile(JSON.parse(text) as Json);
  }
}

/** Returns the schema with `additionalProperties: false` on every object that does not set it. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const closed = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, closeObjects(member)]));
  const isOpenObject = closed.type === 'object' && 'properties' in closed && !('additionalProperties' in closed);
  return isOpenObject ? { ...closed, additionalProperties: false } : closed;
}
