import type { CorpusCase } from '../../corpus/corpus-case.ts';
import { type CorpusVariables, expandVariables } from '../../corpus/corpus-variables.ts';

/** Shorter values may occur in the text of a problem by chance. */
const minLength = 8;

/** The values that a case sends and that no problem may repeat. A problem may repeat the name of an invalid member. */
export function collectSentValues({ url, headers = {}, body }: CorpusCase, variables: CorpusVariables): string[] {
  const { 'content-type': _, ...others } = headers;
  const [path = '', query = ''] = expandVariables(url, variables).split('?');
  const values = [
    // Segments in lower case belong to the path of the operation.
    ...path.split('/').filter((segment) => !/^[a-z-]+$/.test(segment)),
    ...query.split('&').map((pair) => pair.split('=')[1] ?? ''),
    ...Object.values(others)
      .flat()
      .map((value) => expandVariables(value, variables)),
    ...collectStrings(parseJson(body), 0),
  ];
  return values.filter((value) => value.length >= minLength);
}

function parseJson(body: string | Buffer | undefined): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return null;
  }
}

function collectStrings(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 40) return [];
  return Object.values(value).flatMap((member) => collectStrings(member, depth + 1));
}
