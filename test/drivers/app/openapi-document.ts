import type { TestService } from './test-service.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Json[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Json>>;
}

/** Fetches the document from a whole service, because the app of `openTestApp` has no stream route to describe. */
export async function fetchOpenApiDocument(service: Pick<TestService, 'url'>): Promise<OpenApiDocument> {
  const response = await fetch(`${service.url}/api/v1/openapi.json`);
  if (response.status !== 200) throw new Error(`openapi.json answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as OpenApiDocument;
}

/** The same document, with every response in its place instead of a reference to a component. */
export function resolveResponses(document: OpenApiDocument): OpenApiDocument {
  const resolve = (response: OpenApiResponse | { readonly $ref: string }): OpenApiResponse => {
    const name = '$ref' in response ? response.$ref.replace('#/components/responses/', '') : null;
    return (name === null ? response : document.components.responses?.[name]) as OpenApiResponse;
  };
  const mapValues = <Given, Made>(object: Readonly<Record<string, Given>>, make: (value: Given) => Made) =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value)]));
  const resolveAll = (operation: OpenApiOperation) => ({
    ...operation,
    responses: mapValues(operation.responses, resolve),
  });
  return { ...document, paths: mapValues(document.paths, (path) => mapValues(path, resolveAll)) };
}
