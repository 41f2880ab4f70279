import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConsoleClient } from '../app/console-client.ts';
import { postMeasured, type Recorder } from './post.ts';
import type { CreateOperation } from './recording.ts';

export interface CreateTrafficOptions extends Recorder {
  /** The address of the service, without a path. */
  readonly baseUrl: string;
  readonly provisionToken: string;
  /** Of a signed-in user, who makes a third of the creates. */
  readonly client: Pick<ConsoleClient, 'cookie' | 'csrfToken'>;
  /** Called once with the id of each widget that a 201 named. */
  readonly onCreated: (widgetId: string) => void;
}

const repeatAfterMs = 500;
/** Widgets share this number of labels, so that a label filter selects some of them. */
const labelCount = 5;

/**
 * Creates widgets as scripts and people do. Most creates carry an idempotency key. Some are sent twice at once, some
 * are repeated later, and a few reuse a key with another body. Half of the unsuccessful creates are repeated.
 */
export function createCreateTraffic(options: CreateTrafficOptions) {
  const agent = new Agent({ keepAlive: true });
  const url = `${options.baseUrl}/api/v1/widgets`;
  const createdIds = new Set<string>();

  async function createOnce(index: number, key: string | null, body: string): Promise<CreateOperation> {
    const isByPerson = index % 3 === 0;
    const credentials: Readonly<Record<string, string>> = isByPerson
      ? { cookie: options.client.cookie, 'x-csrf-token': options.client.csrfToken }
      : { authorization: `Bearer ${options.provisionToken}` };
    const headers = {
      'content-type': 'application/json',
      ...credentials,
      ...(key === null ? {} : { 'idempotency-key': key }),
    };
    const { operation: measured, answer } = await postMeasured(options, { url, agent, headers, body });
    const created = { isByPerson, key, sent: body, answer: answer.outcome === 'ok' ? answer.text : null };
    const operation: CreateOperation = { ...measured, ...created };
    options.recording.creates.push(operation);
    return operation;
  }

  function reportCreated({ answer }: CreateOperation): void {
    if (answer === null) return;
    const { id } = JSON.parse(answer) as { id: string };
    if (!createdIds.has(id)) options.onCreated(id);
    createdIds.add(id);
  }

  return {
    create: async (index: number): Promise<void> => {
      const key = index % 10 === 4 ? null : `create-${index}-${randomUUID()}`;
      const body = JSON.stringify({ name: `widget ${index}`, labels: [`line-${index % labelCount}`] });
      const isSentTwice = key !== null && index % 10 === 7;
      const [first] = await Promise.all([
        createOnce(index, key, body),
        ...(isSentTwice ? [createOnce(index, key, body)] : []),
      ]);
      reportCreated(first);
      const isRepeatedLater = index % 20 === 9 || (first.outcome !== 'ok' && index % 2 === 0);
      if (key === null) return;
      if (isRepeatedLater) {
        await delay(repeatAfterMs);
        reportCreated(await createOnce(index, key, body));
      }
      if (index % 30 === 8) await createOnce(index, key, JSON.stringify({ name: 'another body under the same key' }));
    },
    close: () => agent.destroy(),
  };
}
