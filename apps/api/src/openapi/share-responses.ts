import type { OpenApiObject } from './schema-components.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>>;

/**
 * Turns each response to an error that several operations have into a component, which they refer to. So the document
 * says once what a missing session or a rate limit looks like. Returns the new paths, and the components by name: the
 * codes of the problems, for example `NotAuthenticatedOrPermissionDenied`.
 */
export function shareResponses(paths: Paths): { readonly paths: Paths; readonly responses: OpenApiObject } {
  const counts = new Map<string, number>();
  for (const response of Object.values(paths).flatMap((path) => Object.values(path).flatMap(listProblemResponses))) {
    counts.set(response, (counts.get(response) ?? 0) + 1);
  }
  const responses: Record<string, OpenApiObject> = {};
  const share = (response: OpenApiObject): OpenApiObject => {
    const text = JSON.stringify(response);
    if ((counts.get(text) ?? 0) < 2) return response;
    const name = nameResponse(response);
    responses[name] ??= response;
    // Another one with the same codes has the name already.
    if (JSON.stringify(responses[name]) !== text) return response;
    return { $ref: `#/components/responses/${name}` };
  };
  const shareAll = (operation: OpenApiObject) => ({
    ...operation,
    responses: mapValues(operation.responses as Readonly<Record<string, OpenApiObject>>, share),
  });
  return { paths: mapValues(paths, (path) => mapValues(path, shareAll)), responses };
}

/** Returns the text of each response that has a problem as its body. */
function listProblemResponses({ responses }: OpenApiObject): string[] {
  const all = Object.values(responses as Readonly<Record<string, OpenApiObject>>);
  return all.filter((response) => listProblemCodes(response).length > 0).map((response) => JSON.stringify(response));
}

function listProblemCodes({ content }: OpenApiObject): string[] {
  const media = (content ?? {}) as Readonly<Record<string, { readonly examples?: object }>>;
  return Object.keys(media['application/problem+json']?.examples ?? {});
}

function nameResponse(response: OpenApiObject): string {
  return listProblemCodes(response)
    .map((code) => `-${code}`.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');
}

function mapValues<Given, Made>(
  object: Readonly<Record<string, Given>>,
  make: (value: Given) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value)]));
}
