import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { api, type Schemas } from '../../../service/service.ts';

/** Says what the service would do with a request, by a source that is not saved. Numbers keep their digits. */
export async function previewSource(
  body: Schemas['NewSourcePreview'],
  signal: AbortSignal,
): Promise<Schemas['HookPreview']> {
  const text = await api.POST('/api/v1/integrations/preview', { body, signal, parseAs: 'text' });
  return parseExactJson(text) as Schemas['HookPreview'];
}
