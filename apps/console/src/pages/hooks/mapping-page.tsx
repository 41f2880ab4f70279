import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { unsavedText } from '../../parts/action-form.tsx';
import { Button } from '../../parts/button.tsx';
import { ProblemNotice, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { FullTime, Time } from '../../parts/time.tsx';
import { useLeaveQuestion } from '../../router/address.ts';
import type { RouteParameters } from '../../router/match-route.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { useResource } from '../../service/use-resource.ts';
import { describeStep, parseDocument, SourceEditor } from './source-editor.tsx';
import type { Sample } from './source-examples.ts';

type Kept = Schemas['HookSamples'];

/** Changes the mapping of an integration. */
export function MappingPage({ id = '' }: RouteParameters) {
  const params = { path: { id } };
  const read = useResource((signal) => api.GET('/api/v1/integrations/{id}', { params, signal }), [id]);
  const sample = useSignal({ headers: '', body: '' });
  const text = useSignal('');
  const integration = read.data.value;
  const source = integration?.source ?? null;
  const saved = useRef('');
  useEffect(() => {
    if (source !== null) text.value = saved.current = JSON.stringify(source.mapping, null, 2);
  }, [source]);
  useLeaveQuestion(() => (text.peek() === saved.current ? null : unsavedText));
  const mapping = parseDocument<Schemas['NewHookMapping']>(text.value);
  const save = useAction(async () => {
    if (mapping === null) return;
    const sent = text.peek();
    await api.PUT('/api/v1/integrations/{id}/source/mapping', { params, body: mapping });
    saved.current = sent;
    showToast('Mapping saved. It applies on every pod within 2 seconds.');
  });
  // No signature is verified here, so the scheme of another sender does not matter.
  const scheme = source?.preset === 'custom' ? { scheme: { algorithm: 'none' as const } } : {};
  return (
    <>
      <PageHeader
        title="Mapping"
        parents={[
          ['Integrations', '/hooks'],
          [integration?.name ?? id, `/hooks/${id}`],
        ]}
      />
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
      {source === null ? null : (
        <SourceEditor
          document={{ text, label: 'Mapping' }}
          preset={source.preset}
          sample={sample}
          source={mapping === null ? null : { preset: source.preset, mapping, ...scheme }}
          samples={<KeptSamples id={id} sample={sample} />}
          end={
            <>
              <ProblemNotice error={save.error.value} />
              <Button
                kind="primary"
                isBusy={save.isRunning.value}
                disabled={mapping === null}
                onClick={() => void save.run()}
              >
                Save mapping
              </Button>
            </>
          }
        />
      )}
    </>
  );
}

/** Refused requests of the sender, if they are kept: each can be used as the request of the preview. */
function KeptSamples({ id, sample }: { readonly id: string; readonly sample: Signal<Sample> }) {
  const path = '/api/v1/integrations/{id}/samples';
  const params = { path: { id } };
  const read = useResource<Kept>((signal) => api.GET(path, { params, signal }), [id], { refreshMs: 3_000 });
  const keep = useAction(async () => {
    await api.PUT(path, { params, body: {} });
    await read.reload();
  });
  const remove = useAction(async () => {
    await api.DELETE(path, { params });
    await read.reload();
  });
  const use = ({ headers, body }: Kept['items'][number]) => {
    const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
    sample.value = { headers: lines.join('\n'), body };
  };
  const { keptUntil = null, items = [] } = read.data.value ?? {};
  const [newest] = items;
  // Whoever waits for the first request sees it at once, unless there is another one already.
  useEffect(() => {
    const { headers, body } = sample.peek();
    if (newest !== undefined && headers === '' && body === '') use(newest);
  }, [newest === undefined]);
  if (keptUntil === null) {
    return (
      <>
        <ProblemNotice error={read.error.value ?? keep.error.value} />
        <Button isBusy={keep.isRunning.value} onClick={() => void keep.run()}>
          Keep refused requests
        </Button>
        <p class="hint">
          For 1 hour, at most 10, exactly as they were sent: they may contain personal data. The audit log records this.
        </p>
      </>
    );
  }
  const kept = items.length === 1 ? '1 request is kept.' : `${items.length} requests are kept.`;
  return (
    <>
      <ProblemNotice error={read.error.value ?? remove.error.value} />
      <p role="status">
        {newest === undefined ? 'Waiting for a refused request…' : kept} Kept until <FullTime at={keptUntil} />
      </p>
      <ul class="kept-samples" aria-label="Refused requests">
        {items.map((item) => (
          <li key={item.requestId}>
            <button type="button" class="sample-value" onClick={() => use(item)}>
              <Time at={item.receivedAt} /> {describeStep(item.refusal)}
            </button>
          </li>
        ))}
      </ul>
      <Button kind="danger" isBusy={remove.isRunning.value} onClick={() => void remove.run()}>
        Delete requests and stop
      </Button>
    </>
  );
}
