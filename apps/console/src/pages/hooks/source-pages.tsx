import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { unsavedText } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { formatCountOf } from '../../parts/format.ts';
import { ProblemNotice, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { FullTime, Time } from '../../parts/time.tsx';
import { type RouteParameters, useLeaveQuestion } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useAction, useResource } from '../../service/use-service.ts';
import { handOver } from './hand-over-page.tsx';
import {
  describeStep,
  fillSample,
  parseDocument,
  type SampleFields,
  SourceEditor,
  useSample,
} from './source-editor.tsx';
import { type PresetName, senders, writeSource } from './source-examples.ts';

type Source = Schemas['NewHookSource'];

const presets = Object.entries(senders).map(([preset, { name }]) => [preset as PresetName, name] as const);

/** Refuses every request: none is accepted before somebody has seen one. */
const refuseAll: Source['mapping'] = { kind: { value: 'not mapped yet', otherwise: 'refuse' } };

const leaveText = 'Leave this page? The integration is not created yet.';

/** Creates an integration for a sender that cannot send hooks as described. */
export function NewSourcePage() {
  const name = useSignal('');
  const preset = useSignal<PresetName>('github');
  const secret = useSignal('');
  const text = useSignal(writeSource('github'));
  const sample = useSample();
  const source = parseDocument<Source>(text.value);
  /** `isWaiting`: the mapping is made later, from the first request that arrives. */
  const create = useAction(async (given: Source, isWaiting: boolean) => {
    const secrets = secret.peek() === '' ? [] : [secret.peek()];
    const mapping = isWaiting ? refuseAll : given.mapping;
    const body = { name: name.peek(), source: { ...given, mapping, secrets } };
    const created = await api.POST('/api/v1/integrations', { body });
    // Before the next request: if it fails, the URL must not be lost.
    handOver(created, true, isWaiting ? `/hooks/${created.id}/mapping` : undefined);
    if (!isWaiting) return;
    await api.PUT('/api/v1/integrations/{id}/samples', { params: { path: { id: created.id } }, body: {} });
  });
  const isTyped = () => `${name.peek()}${secret.peek()}` !== '' || text.peek() !== writeSource(preset.peek());
  useLeaveQuestion(() => (isTyped() && !create.isRunning.peek() ? leaveText : null));
  const button = { isBusy: create.isRunning.value, disabled: source === null };
  return (
    <>
      <PageHeader title="Connect sender" parents={[['Integrations', '/hooks']]} />
      <p class="intro">
        For a system with its own request format, such as GitHub or Stripe. Say where each part of a hook is in its
        requests, and see the result at once.
      </p>
      <SourceEditor
        document={{ text, label: 'Source' }}
        preset={preset.value}
        sample={sample}
        source={source}
        samples={
          <>
            <Button {...button} onClick={() => source !== null && void create.run(source, true)}>
              Wait for first request
            </Button>
            <p class="hint">
              Creates the integration now. Until you save a mapping, it refuses every request and keeps it for 1 hour.
            </p>
          </>
        }
        end={
          <>
            <ProblemNotice error={create.error.value} />
            <Button kind="primary" {...button} onClick={() => source !== null && void create.run(source, false)}>
              Create integration
            </Button>
          </>
        }
      >
        <section class="section">
          <h2>1. Sender</h2>
          <TextField of={name} label="Name" required />
          <SelectField
            of={preset}
            label="Sender"
            options={presets}
            onChange={(next) => (text.value = writeSource(next))}
          />
          <TextField
            of={secret}
            label="Secret"
            hint="The secret that the sender signs with or sends. It is never shown again."
            type="password"
            autoComplete="new-password"
          />
        </section>
      </SourceEditor>
    </>
  );
}

type Kept = Schemas['HookSamples'];

/** Changes the mapping of an integration. */
export function MappingPage({ id = '' }: RouteParameters) {
  const params = { path: { id } };
  const read = useResource((signal) => api.GET('/api/v1/integrations/{id}', { params, signal }), [id]);
  const sample = useSample();
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
function KeptSamples({ id, sample }: { readonly id: string; readonly sample: SampleFields }) {
  const path = '/api/v1/integrations/{id}/samples';
  const params = { path: { id } };
  const read = useResource<Kept>((signal) => api.GET(path, { params, signal }), [id], { refreshMs: 3_000 });
  const keep = useAction(async (isKept: boolean) => {
    await (isKept ? api.PUT(path, { params, body: {} }) : api.DELETE(path, { params }));
    await read.reload();
  });
  const use = ({ headers, body }: Kept['items'][number]) => {
    const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
    fillSample(sample, { headers: lines.join('\n'), body });
  };
  const { keptUntil = null, items = [] } = read.data.value ?? {};
  const [newest] = items;
  // Shows the first sample at once to a person who waits for it, unless another request was pasted meanwhile.
  useEffect(() => {
    if (newest !== undefined && `${sample.headers.peek()}${sample.body.peek()}` === '') use(newest);
  }, [newest === undefined]);
  const kept = `${formatCountOf(items.length, 'request is', 'requests are')} kept.`;
  return (
    <>
      <ProblemNotice error={read.error.value ?? keep.error.value} />
      {keptUntil === null ? (
        <>
          <Button isBusy={keep.isRunning.value} onClick={() => void keep.run(true)}>
            Keep refused requests
          </Button>
          <p class="hint">
            For 1 hour, at most 10, exactly as they were sent: they may contain personal data. The audit log records
            this.
          </p>
        </>
      ) : (
        <>
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
          <Button kind="danger" isBusy={keep.isRunning.value} onClick={() => void keep.run(false)}>
            Delete requests and stop
          </Button>
        </>
      )}
    </>
  );
}
