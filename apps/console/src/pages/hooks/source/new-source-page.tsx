import { type Signal, useSignal } from '@preact/signals';
import { Button } from '../../../parts/button.tsx';
import { Field, LinesField, Select, TextField } from '../../../parts/fields.tsx';
import { ProblemNotice } from '../../../parts/messages.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { useDraft } from '../../../parts/use-draft.ts';
import { api, type Schemas } from '../../../service/service.ts';
import { useAction } from '../../../service/use-action.ts';
import { texts } from '../../../texts/texts.ts';
import { handOver } from '../hand-over/held-secrets.ts';
import { exampleScheme, type PresetName } from './examples.ts';
import { emptyMapping } from './mapping-draft.ts';
import { previewSource } from './preview-source.ts';
import { SourceEditor } from './source-editor.tsx';

const presetNames = Object.keys(texts.sources.presets) as PresetName[];

/** Refuses every request: none is accepted before somebody has seen one. */
const refuseAll: Schemas['NewHookMapping'] = { kind: { value: 'not mapped yet', otherwise: 'refuse' } };

/** Creates an integration for a sender that cannot send hooks as described, step by step. */
export function NewSourcePage() {
  const { sources, hooks } = texts;
  const { values: head, clear: clearHead } = useDraft<Head>('new-source', emptyHead, ['name', 'preset', 'scheme']);
  const { values: draft, clear: clearMapping } = useDraft('new-source-mapping', emptyMapping, mappingMembers);
  // In no draft: a pasted request may hold a secret of the sender, and this is one.
  const sample = useSignal({ headers: '', body: '' });
  const secret = useSignal('');
  const { name, preset, scheme } = head.value;
  const toSource = (mapping: Schemas['NewHookMapping']) => ({
    preset,
    mapping,
    ...(preset === 'custom' ? { scheme: JSON.parse(scheme) as Schemas['SignatureScheme'] } : {}),
  });
  const isWaiting = useSignal(false);
  const create = useAction(async (mapping: Schemas['NewHookMapping']) => {
    const source = { ...toSource(mapping), secrets: secret.peek() === '' ? [] : [secret.peek()] };
    const created = await api.POST('/api/v1/integrations', { body: { name, source } });
    secret.value = '';
    clearHead();
    clearMapping();
    // Before the next request: if it fails, the URL must not be lost.
    handOver(created, { hasSource: true, ...(isWaiting.peek() ? { next: `/hooks/${created.id}/mapping` } : {}) });
    if (isWaiting.peek()) {
      const params = { path: { id: created.id } };
      await api.PUT('/api/v1/integrations/{id}/samples', { params, body: {} });
    }
  });
  const wait = () => {
    isWaiting.value = true;
    void create.run(refuseAll);
  };
  const isSchemeWrong = preset === 'custom' && !isJson(scheme);
  return (
    <>
      <PageHeader title={sources.title} parents={[[hooks.title, '/hooks']]} />
      <p class="intro">{sources.intro}</p>
      <SourceEditor
        preset={preset}
        sample={sample}
        draft={draft}
        exampleHasMapping
        previewKey={`${preset} ${scheme}`}
        readPreview={(mapping, request, signal) => previewSource({ source: toSource(mapping), ...request }, signal)}
        samples={
          <>
            <Button isBusy={create.isRunning.value} disabled={isSchemeWrong} onClick={wait}>
              {sources.waitForFirst}
            </Button>
            <p class="hint">{sources.waitForFirstHint}</p>
          </>
        }
        renderEnd={(mapping) => (
          <>
            <ProblemNotice error={create.error.value} />
            <Button
              kind="primary"
              isBusy={create.isRunning.value}
              disabled={mapping === null || isSchemeWrong}
              onClick={() => {
                isWaiting.value = false;
                if (mapping !== null) void create.run(mapping);
              }}
            >
              {sources.create}
            </Button>
          </>
        )}
      >
        <SenderFields head={head} secret={secret} />
      </SourceEditor>
    </>
  );
}

const mappingMembers = Object.keys(emptyMapping) as (keyof typeof emptyMapping)[];
const emptyHead: Head = { name: '', preset: 'github', scheme: exampleScheme };

interface Head {
  readonly name: string;
  readonly preset: PresetName;
  /** Of another sender: JSON. */
  readonly scheme: string;
}

interface SenderFieldsProperties {
  readonly head: Signal<Head>;
  readonly secret: Signal<string>;
}

/** Who sends, and how it signs. */
function SenderFields({ head, secret }: SenderFieldsProperties) {
  const { sources } = texts;
  const { name, preset, scheme } = head.value;
  const set = (changes: Partial<Head>) => (head.value = { ...head.peek(), ...changes });
  return (
    <section class="section">
      <h2>{sources.senderStep}</h2>
      <TextField label={sources.name} required value={name} onInput={(next) => set({ name: next })} />
      <Field label={sources.sender}>
        {({ id }) => (
          <Select
            id={id}
            options={presetNames.map((each) => [each, sources.presets[each]] as const)}
            value={preset}
            onChange={(next) => set({ preset: next })}
          />
        )}
      </Field>
      {preset === 'custom' ? (
        <LinesField
          label={sources.scheme}
          hint={isJson(scheme) ? sources.schemeHint : sources.notJson}
          value={scheme}
          onInput={(next) => set({ scheme: next })}
        />
      ) : null}
      <TextField
        label={sources.secret}
        hint={sources.secretHint}
        type="password"
        autoComplete="off"
        value={secret.value}
        onInput={(next) => (secret.value = next)}
      />
    </section>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
