import { z } from 'zod';
import type { ControlEntry } from '../ports/control-log.ts';

const textVersion = 1;

const storedEntry = z.object({
  version: z.literal(textVersion),
  kind: z.enum(['subscription', 'integration', 'provision-token', 'session', 'user']),
  id: z.string().min(1),
  change: z.enum(['changed', 'revoked']),
});

/** The text that is kept for an entry. `parseControlEntry` gives back an equal one. */
export function serializeControlEntry({ kind, id, change }: ControlEntry): string {
  return JSON.stringify({ version: textVersion, kind, id, change } satisfies z.infer<typeof storedEntry>);
}

/**
 * The entry of a text; null for a text that this version of the service does not understand: a newer one wrote it, and
 * whoever reads it knows only that something has changed.
 */
export function parseControlEntry(text: string): ControlEntry | null {
  const entry = storedEntry.safeParse(parseJson(text));
  if (!entry.success) return null;
  const { kind, id, change } = entry.data;
  return { kind, id, change };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
