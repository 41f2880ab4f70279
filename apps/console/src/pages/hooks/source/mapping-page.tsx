import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { ProblemNotice, showToast } from '../../../parts/messages.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import type { RouteParameters } from '../../../router/match-route.ts';
import { api, type Schemas } from '../../../service/service.ts';
import { useAction } from '../../../service/use-action.ts';
import { useResource } from '../../../service/use-resource.ts';
import { texts } from '../../../texts/texts.ts';
import { KeptSamples } from './kept-samples.tsx';
import { emptyMapping, toDraft } from './mapping-draft.ts';
import { previewSource } from './preview-source.ts';
import { SourceEditor } from './source-editor.tsx';

/** Changes the mapping of an integration. */
export function MappingPage({ id = '' }: RouteParameters) {
  const { sources, hooks } = texts;
  const params = { path: { id } };
  const read = useResource((signal) => api.GET('/api/v1/integrations/{id}', { params, signal }), [id]);
  const sample = useSignal({ headers: '', body: '' });
  const draft = useSignal(emptyMapping);
  const integration = read.data.value;
  const source = integration?.source ?? null;
  useEffect(() => {
    if (source !== null) draft.value = toDraft(source.mapping);
  }, [source]);
  const save = useAction(async (mapping: Schemas['NewHookMapping']) => {
    await api.PUT('/api/v1/integrations/{id}/source/mapping', { params, body: mapping });
    showToast(sources.saved);
  });
  return (
    <>
      <PageHeader
        title={sources.edit}
        parents={[
          [hooks.title, '/hooks'],
          [integration?.name ?? id, `/hooks/${id}`],
        ]}
      />
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
      {source === null ? null : (
        <SourceEditor
          preset={source.preset}
          sample={sample}
          draft={draft}
          exampleHasMapping={false}
          previewKey={id}
          samples={<KeptSamples id={id} sample={sample} />}
          readPreview={(mapping, request, signal) => {
            // No signature is verified here, so the scheme of another sender does not matter.
            const scheme = source.preset === 'custom' ? { scheme: { algorithm: 'none' as const } } : {};
            const body = { ...request, source: { preset: source.preset, mapping, ...scheme } };
            return previewSource(body, signal);
          }}
          renderEnd={(mapping) => (
            <>
              <ProblemNotice error={save.error.value} />
              <Button
                kind="primary"
                isBusy={save.isRunning.value}
                disabled={mapping === null}
                onClick={() => mapping !== null && void save.run(mapping)}
              >
                {sources.save}
              </Button>
            </>
          )}
        />
      )}
    </>
  );
}
