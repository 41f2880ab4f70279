import type { HookSample } from '../ports/sample-store.ts';
import { createRowReader, type RowReaderOptions } from './row-reader.ts';
import { sampleShape } from './row-shapes.ts';

/**
 * Returns the stored text of a sample. The same sample always has the same text, which begins with its request id: of
 * two samples with the same time, the texts and the request ids have the same order.
 */
export function serializeSample(sample: HookSample): string {
  const { requestId, receivedAt, ...rest } = sample;
  return JSON.stringify({ requestId, receivedAt: receivedAt.getTime(), ...rest });
}

/** Returns the sample of a text that `serializeSample` returned. Throws `SyntaxError` for a text that is not JSON. */
export function parseSample(text: string): HookSample {
  const stored = JSON.parse(text) as Omit<HookSample, 'receivedAt'> & { readonly receivedAt: number };
  return { ...stored, receivedAt: new Date(stored.receivedAt) };
}

/** Returns the request id with which the text of a sample or refusal begins, also if the rest of it is damaged. */
export function findRequestId(text: string): string {
  return /^\{"requestId":"([^"]{1,100})"/.exec(text)?.[1] ?? 'unknown';
}

/** Creates the reader of the stored texts of samples. */
export function createSampleReader(onWarning: RowReaderOptions<string, HookSample>['onWarning']) {
  const [identify, convert] = [findRequestId, parseSample];
  return createRowReader({ of: 'samples', identify, convert, shape: sampleShape, onWarning });
}
