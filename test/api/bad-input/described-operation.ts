import type { Json, OpenApiDocument } from '../../drivers/app/openapi-document.ts';

/** The part of an operation's description that the generator of requests uses. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its parameters in braces. */
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly schema: Json }[];
  readonly headers: readonly { readonly name: string; readonly schema: Json }[];
  /** The schema of the JSON body, or null when the operation has none. */
  readonly body: Json | null;
  /** A valid body. */
  readonly example: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

/** Every operation of the document, with resolved references. */
export function listOperations(document: OpenApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).map(
        (parameter) => resolveSchema(parameter, document) as unknown as Parameter,
      );
      const selectParameters = (location: string) =>
        parameters
          .filter((parameter) => parameter.in === location)
          .map(({ name, schema }) => ({ name, schema: resolveSchema(schema, document) }));
      const { schema, example } = operation.requestBody?.content['application/json'] ?? {};
      return {
        operationId: operation.operationId,
        method: method.toUpperCase() as DescribedOperation['method'],
        path,
        query: selectParameters('query'),
        headers: selectParameters('header'),
        body: schema === undefined ? null : resolveSchema(schema, document),
        example,
      };
    }),
  );
}

/** A schema without references. */
function resolveSchema(node: unknown, document: OpenApiDocument): Json {
  return resolveNode(node, document) as Json;
}

function resolveNode(node: unknown, document: OpenApiDocument): unknown {
  if (Array.isArray(node)) return node.map((item) => resolveNode(item, document));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: unknown };
  if (typeof $ref === 'string') {
    const [, , kind = '', name = ''] = $ref.split('/');
    return resolveNode(document.components[kind]?.[name], document);
  }
  return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, resolveNode(member, document)]));
}
