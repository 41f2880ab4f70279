import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json, OpenApiDocument, OpenApiOperation, OpenApiResponse } from './openapi-document.ts';

export interface CheckedAnswer {
  readonly method: string;
  readonly url: string;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
}

/** Refusals of what is no request for an operation yet, and faults: the document's introduction tells of them all. */
const codesBesideOperations = [
  'malformed-request',
  'uri-too-long',
  'headers-too-large',
  'request-timeout',
  'expectation-failed',
  'method-not-allowed',
  'internal',
];

/** Not part of the interface: the description of it, and pages for people. */
const pathsBesideInterface = /^\/(?:api\/v1\/openapi\.json|docs(?:\/.*)?|problems(?:\/.*)?|favicon\.ico)?$/;

/**
 * Checks answers against the document: the status and the code must be declared for the operation, headers and body
 * be of the declared form, and nothing be there that is not declared. Throws with all that is wrong.
 */
export function createAnswerCheck(document: OpenApiDocument): (answer: CheckedAnswer) => void {
  const schemas = new SchemaSet(document);
  return (answer) => {
    const operation = operationOf(document, answer);
    if (operation === null) return;
    const mistakes = mistakesOf(answer, operation, schemas);
    if (mistakes.length === 0) return;
    const { method, url, statusCode } = answer;
    const place = `${method} ${url.slice(0, 100)} answered ${statusCode}, unlike ${operation.operationId} is described:`;
    throw new Error([place, ...mistakes].join('\n- '));
  };
}

/** Tells what of a value is unlike its schema in the document. */
export function createSchemaCheck(document: OpenApiDocument): (schema: Json, value: unknown) => string[] {
  const schemas = new SchemaSet(document);
  return (schema, value) => schemas.mistakesOf(schema, value);
}

/** The operation that answered; null where the answer is none of an operation. */
function operationOf(document: OpenApiDocument, answer: CheckedAnswer): OpenApiOperation | null {
  const path = answer.url.split(/[?#]/, 1)[0] ?? '';
  if (pathsBesideInterface.test(path)) return null;
  // HEAD is GET without the body. A preflight is the browser's, not a client's.
  const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
  const operation = operationsAt(document, path)?.[method];
  if (operation === undefined) {
    const isExplained = answer.statusCode === 404 || answer.statusCode === 405 || answer.method === 'OPTIONS';
    if (isExplained || codesBesideOperations.includes(codeOf(answer))) return null;
    throw new Error(`${answer.method} ${path} answered ${answer.statusCode}, but is not described`);
  }
  return codesBesideOperations.includes(codeOf(answer)) ? null : operation;
}

function operationsAt(
  { paths }: OpenApiDocument,
  path: string,
): Readonly<Record<string, OpenApiOperation>> | undefined {
  const patterns = Object.keys(paths).filter((pattern) => {
    return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]*')}$`).test(path);
  });
  // A path without a parameter counts before one with it.
  const [pattern] = patterns.sort((a, b) => a.split('{').length - b.split('{').length);
  return pattern === undefined ? undefined : paths[pattern];
}

function codeOf({ headers, body }: CheckedAnswer): string {
  if (!String(headers['content-type']).startsWith('application/problem+json') || body === '') return '';
  return String((JSON.parse(body) as { code?: unknown }).code);
}

function mistakesOf(answer: CheckedAnswer, operation: OpenApiOperation, schemas: SchemaSet): string[] {
  const response = operation.responses[String(answer.statusCode)];
  if (response === undefined) return [`the status is not declared; the code is "${codeOf(answer)}"`];
  return [
    ...headerMistakes(answer, response, schemas),
    ...(answer.method === 'HEAD' ? [] : bodyMistakes(answer, response, schemas)),
  ];
}

function headerMistakes(answer: CheckedAnswer, response: OpenApiResponse, schemas: SchemaSet): string[] {
  const mistakes: string[] = [];
  for (const [name, { $ref }] of Object.entries(response.headers)) {
    const value = answer.headers[name.toLowerCase()];
    const header = schemas.resolve($ref);
    if (value === undefined) {
      if (header.required === true) mistakes.push(`the header ${name} is missing`);
    } else {
      mistakes.push(...schemas.mistakesOf(header.schema as Json, String(value)).map((text) => `${name}: ${text}`));
    }
  }
  const undeclared = schemas.headerNames.filter(
    (name) => !(name in response.headers) && name.toLowerCase() in answer.headers,
  );
  return [...mistakes, ...undeclared.map((name) => `the header ${name} is not declared`)];
}

function bodyMistakes(answer: CheckedAnswer, { content }: OpenApiResponse, schemas: SchemaSet): string[] {
  if (content === undefined) return answer.body === '' ? [] : ['there is a body, and none is declared'];
  const type = String(answer.headers['content-type']);
  const [essence = ''] = type.split(';');
  const media = content[essence];
  if (media === undefined) return [`its type ${type} is not declared`];
  const value: unknown = JSON.parse(answer.body);
  const code = codeOf(answer);
  return [
    ...(code !== '' && media.examples?.[code] === undefined ? [`the code "${code}" is not declared`] : []),
    ...schemas.mistakesOf(media.schema, value),
  ];
}

/** The document's schemas, compiled when they are first needed. */
class SchemaSet {
  readonly headerNames: readonly string[];
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    // For clients the objects are open; for the service a member that nobody described is a mistake.
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

  mistakesOf(schema: Json, value: unknown): string[] {
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

function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const closed = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, closeObjects(member)]));
  const isOpenObject = closed.type === 'object' && 'properties' in closed && !('additionalProperties' in closed);
  return isOpenObject ? { ...closed, additionalProperties: false } : closed;
}
