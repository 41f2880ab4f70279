import type { HookRefusal } from '../ports/refusal-store.ts';
import { createRowReader, type RowReaderOptions } from './row-reader.ts';
import { refusalShape } from './row-shapes.ts';
import { findRequestId } from './sample-codec.ts';

/**
 * Returns the stored text of a refusal. The same refusal always has the same text, which begins with its request id: of
 * two refusals with the same time, the texts and the request ids have the same order.
 */
export function serializeRefusal(refusal: HookRefusal): string {
  const { requestId, integrationId, code, status, detail, errors, clientAddress, webhookId, unlisted } = refusal;
  const refusedAt = refusal.refusedAt.getTime();
  return JSON.stringify({
    requestId,
    integrationId,
    refusedAt,
    code,
    status,
    detail,
    errors,
    clientAddress,
    webhookId,
    unlisted,
  });
}

/** Returns the refusal of a text that `serializeRefusal` returned. Throws `SyntaxError` for a text that is not JSON. */
export function parseRefusal(text: string): HookRefusal {
  const stored = JSON.parse(text) as Omit<HookRefusal, 'refusedAt'> & { readonly refusedAt: number };
  return { ...stored, refusedAt: new Date(stored.refusedAt) };
}

/** Creates the reader of the stored texts of refusals. */
export function createRefusalReader(onWarning: RowReaderOptions<string, HookRefusal>['onWarning']) {
  const [identify, convert] = [findRequestId, parseRefusal];
  return createRowReader({ of: 'refusals', identify, convert, shape: refusalShape, onWarning });
}
