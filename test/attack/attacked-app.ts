import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { type CorpusVariables, expandVariables, issueVariables } from '../corpus/corpus-variables.ts';
import { openTestApp, type TestApp, type TestAppOptions } from '../drivers/app/test-app.ts';

/** The app on a socket, with users and tokens of every kind: what an attack needs. */
export interface AttackedApp extends TestApp {
  readonly port: number;
  readonly variables: CorpusVariables;
  /** Replaces each `{variable}`, such as `{editorCookie}`. */
  fill(text: string): string;
  /** The names of all widgets, also of those that an attack created. */
  listWidgetNames(): Promise<string[]>;
  /** Fails unless a viewer on a new connection is served. */
  expectHonestAnswer(): Promise<void>;
}

export async function openAttackedApp(options: TestAppOptions = {}): Promise<AttackedApp> {
  const service = await openTestApp(options);
  const variables = await issueVariables(service.backend);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const viewer = { cookie: variables.viewerCookie ?? '' };
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...viewer, connection: 'close' } });
  return {
    ...service,
    port,
    variables,
    fill: (text) => expandVariables(text, variables),
    listWidgetNames: async () => {
      const { items } = (await (await get('/api/v1/widgets?pageSize=200')).json()) as { items: { name: string }[] };
      return items.map(({ name }) => name);
    },
    expectHonestAnswer: async () => {
      expect((await get('/api/v1/session')).status).toBe(200);
    },
  };
}
