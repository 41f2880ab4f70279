import { z } from 'zod';
import { tryParseJson } from '../domain/json.ts';
import type { ControlEntry } from '../ports/control-log.ts';

const textVersion = 1;

const storedEntry = z.object({
  version: z.literal(textVersion),
  kind: z.enum(['subscription', 'integration', 'provision-token', 'session', 'user', 'stream']),
  id: z.string().min(1),
  change: z.enum(['changed', 'revoked']),
});

/** Returns the stored text of an entry. `parseControlEntry` returns an equal entry. */
export function serializeControlEntry({ kind, id, change }: ControlEntry): string {
  return JSON.stringify({ version: textVersion, kind, id, change } satisfies z.infer<typeof storedEntry>);
}

/**
 * Returns the entry of a text. Returns null if this version cannot read the text, for example because a newer version
 * wrote it. The reader must then assume that anything may have changed.
 */
export function parseControlEntry(text: string): ControlEntry | null {
  const entry = storedEntry.safeParse(tryParseJson(text));
  if (!entry.success) return null;
  const { kind, id, change } = entry.data;
  return { kind, id, change };
}
