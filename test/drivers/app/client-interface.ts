import openapiTypescript, { astToString } from 'openapi-typescript';
import type { OpenApiDocument } from './openapi-document.ts';

/** The file of `packages/client` that is made from the OpenAPI document of the service. */
export const clientInterfaceFile = new URL('../../../packages/client/src/interface.ts', import.meta.url);

/** The text of that file. */
export async function generateClientInterface(document: OpenApiDocument): Promise<string> {
  const types = astToString(await openapiTypescript(JSON.stringify(document, withoutExamples)))
    .replace('export interface paths', '/** Every operation of the service, by path and method. */\n$&')
    .replace('export interface components', '/** The shapes of requests and responses, in `schemas`. */\n$&');
  return `// Made from the OpenAPI document of the service by \`npm run write:client-interface\`. Do not edit.\n\n${types}`;
}

/** Leaves examples out: they are for readers of the document, and were an eighth of the file. */
function withoutExamples(key: string, value: unknown): unknown {
  return key === 'example' || key === 'examples' ? undefined : value;
}
