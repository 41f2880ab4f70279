import type { CorpusCase } from '../../corpus/corpus-case.ts';
import { type CorpusNames, fillIn } from '../../corpus/issue-names.ts';

/** Shorter ones stand in a problem's own words too. */
const lengthMin = 8;

/** The values that a case sends and that no problem may tell back. The names of members are told back, where they are wrong. */
export function valuesOf({ url, headers = {}, body }: CorpusCase, names: CorpusNames): string[] {
  const { 'content-type': _, ...others } = headers;
  const [path = '', query = ''] = fillIn(url, names).split('?');
  const values = [
    // A word in small letters is the interface's own.
    ...path.split('/').filter((segment) => !/^[a-z-]+$/.test(segment)),
    ...query.split('&').map((pair) => pair.split('=')[1] ?? ''),
    ...Object.values(others)
      .flat()
      .map((value) => fillIn(value, names)),
    ...stringsOf(parsed(body), 0),
  ];
  return values.filter((value) => value.length >= lengthMin);
}

function parsed(body: string | Buffer | undefined): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return null;
  }
}

function stringsOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 40) return [];
  return Object.values(value).flatMap((member) => stringsOf(member, depth + 1));
}
