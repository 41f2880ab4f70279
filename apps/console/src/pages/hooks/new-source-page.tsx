import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Field, Select, TextField } from '../../parts/fields.tsx';
import { ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useLeaveQuestion } from '../../router/address.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { handOver } from './hand-over-page.tsx';
import { parseDocument, SourceEditor } from './source-editor.tsx';
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
  const sample = useSignal({ headers: '', body: '' });
  const source = parseDocument<Source>(text.value);
  /** `isWaiting`: the first request is waited for, and mapped then. */
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
          <TextField label="Name" required value={name.value} onInput={(next) => (name.value = next)} />
          <Field label="Sender">
            {({ id }) => (
              <Select
                id={id}
                options={presets}
                value={preset.value}
                onChange={(next) => {
                  preset.value = next;
                  text.value = writeSource(next);
                }}
              />
            )}
          </Field>
          <TextField
            label="Secret"
            hint="The secret that the sender signs with or sends. It is never shown again."
            type="password"
            autoComplete="new-password"
            value={secret.value}
            onInput={(next) => (secret.value = next)}
          />
        </section>
      </SourceEditor>
    </>
  );
}
