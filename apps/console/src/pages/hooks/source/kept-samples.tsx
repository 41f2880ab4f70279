import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { ProblemNotice } from '../../../parts/messages.tsx';
import { FullTime, Time } from '../../../parts/time.tsx';
import { api, type Schemas } from '../../../service/service.ts';
import { useAction } from '../../../service/use-action.ts';
import { useResource } from '../../../service/use-resource.ts';
import { texts } from '../../../texts/texts.ts';
import { formatHeaders, type Sample } from './sample.ts';

type Kept = Schemas['HookSamples'];

interface KeptSamplesProperties {
  readonly id: string;
  readonly sample: Signal<Sample>;
}

const refreshMs = 3_000;

/** Refused requests of the sender, if they are kept: each can be used as the request of the editor. */
export function KeptSamples({ id, sample }: KeptSamplesProperties) {
  const { sources } = texts;
  const path = '/api/v1/integrations/{id}/samples';
  const params = { path: { id } };
  const read = useResource<Kept>((signal) => api.GET(path, { params, signal }), [id], { refreshMs });
  const keep = useAction(async () => {
    await api.PUT(path, { params, body: {} });
    await read.reload();
  });
  const remove = useAction(async () => {
    await api.DELETE(path, { params });
    await read.reload();
  });
  const use = ({ headers, body }: Kept['items'][number]) => {
    sample.value = { headers: formatHeaders(headers), body };
  };
  const { keptUntil = null, items = [] } = read.data.value ?? {};
  useFirst(items, sample, use);
  const [newest] = items;
  return (
    <>
      <ProblemNotice error={read.error.value ?? keep.error.value ?? remove.error.value} />
      {keptUntil === null ? (
        <>
          <Button isBusy={keep.isRunning.value} onClick={() => void keep.run()}>
            {sources.keepSamples}
          </Button>
          <p class="hint">{sources.keepSamplesHint}</p>
        </>
      ) : (
        <>
          <p role="status">
            {newest === undefined ? sources.waiting : sources.samplesKept(items.length)} {sources.keptUntil}{' '}
            <FullTime at={keptUntil} />
          </p>
          <ul class="kept-samples" aria-label={sources.samples}>
            {items.map((item) => (
              <li key={item.requestId}>
                <button type="button" class="sample-value" onClick={() => use(item)}>
                  <Time at={item.receivedAt} /> {describeRefusal(item)}
                </button>
              </li>
            ))}
          </ul>
          <Button kind="danger" isBusy={remove.isRunning.value} onClick={() => void remove.run()}>
            {sources.deleteSamples}
          </Button>
        </>
      )}
    </>
  );
}

/** Whoever waits for the first request sees it at once, unless there is another one already. */
function useFirst(items: Kept['items'], sample: Signal<Sample>, use: (item: Kept['items'][number]) => void): void {
  const [newest] = items;
  useEffect(() => {
    const { headers, body } = sample.peek();
    if (newest !== undefined && headers === '' && body === '') use(newest);
  }, [newest === undefined]);
}

function describeRefusal({ refusal: { step, reason } }: Kept['items'][number]): string {
  const members: Readonly<Record<string, string>> = texts.sources.members;
  return `${members[step] ?? step}: ${reason}.`;
}
