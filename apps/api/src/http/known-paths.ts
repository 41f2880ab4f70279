import type { FastifyInstance } from 'fastify';
import { decodePath, pathOf } from './request-target.ts';

export interface KnownPaths {
  /** The methods that a path has, in the form of `Allow`; null when there is no such path. */
  allowedAt(url: string): string | null;
}

/** Keeps the paths of all routes that are registered from now on, so that an unknown method can be told from an unknown path. */
export function collectKnownPaths(app: FastifyInstance): KnownPaths {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPattern.set(url, methods);
  });
  return {
    allowedAt: (url) => {
      const segments = (decodePath(pathOf(url)) ?? '').split('/');
      const allowed = new Set<string>();
      for (const [pattern, methods] of methodsByPattern) {
        if (!matches(pattern.split('/'), segments)) continue;
        for (const method of methods) allowed.add(method);
      }
      return allowed.size === 0 ? null : [...allowed].sort().join(', ');
    },
  };
}

/** As the router matches, to which nothing is a value too. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => part.startsWith(':') || part === segments[index]);
}
