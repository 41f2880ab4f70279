import type { Json, OpenApiDocument } from '../../drivers/openapi-document.ts';

/** What the generator needs to know of an operation. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its parameters in braces. */
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly schema: Json }[];
  readonly headers: readonly { readonly name: string; readonly schema: Json }[];
  /** Null when it takes none. */
  readonly body: Json | null;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

/** Every operation of the document, its references followed. */
export function operationsOf(document: OpenApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).map((each) => follow(each, document) as unknown as Parameter);
      const placed = (place: string) =>
        parameters
          .filter((each) => each.in === place)
          .map(({ name, schema }) => ({ name, schema: follow(schema, document) }));
      const schema = operation.requestBody?.content['application/json']?.schema;
      return {
        operationId: operation.operationId,
        method: method.toUpperCase() as DescribedOperation['method'],
        path,
        query: placed('query'),
        headers: placed('header'),
        body: schema === undefined ? null : follow(schema, document),
      };
    }),
  );
}

/** A schema without references. */
function follow(node: unknown, document: OpenApiDocument): Json {
  return resolve(node, document) as Json;
}

function resolve(node: unknown, document: OpenApiDocument): unknown {
  if (Array.isArray(node)) return node.map((each) => resolve(each, document));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: unknown };
  if (typeof $ref === 'string') {
    const [, , kind = '', name = ''] = $ref.split('/');
    return resolve(document.components[kind]?.[name], document);
  }
  return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, resolve(member, document)]));
}
