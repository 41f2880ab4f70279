import { decodeText } from '../parts/text.ts';
import type { RouteParameters } from './router.tsx';

/** Compares a path with a pattern, part by part. Null: they do not match. A slash at the end does not count. */
export function matchRoute(pattern: string, path: string): RouteParameters | null {
  const expected = splitPath(pattern);
  const actual = splitPath(path);
  if (expected.length !== actual.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? '';
    if (part.startsWith(':')) parameters[part.slice(1)] = decodeText(value);
    else if (part !== value) return null;
  }
  return parameters;
}

const splitPath = (path: string) => path.split('/').filter((part) => part !== '');
