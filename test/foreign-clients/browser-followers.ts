import { fileURLToPath } from 'node:url';
import { chromium, type JSHandle } from 'playwright-core';
import { rolldown } from 'rolldown';
import { listenLocally } from '../drivers/tools/local-server.ts';
import type { FollowedMessage, StreamFollower } from './stream-follower.ts';

/** A browser with one page. The origin of the page is another one than that of the streams. */
export interface FollowingBrowser {
  /** Opens an EventSource in the page, and the stream once more with `@microsoft/fetch-event-source`. */
  follow(url: string): Promise<StreamFollower[]>;
  close(): Promise<void>;
}

/** Starts the browser. It accepts every certificate. */
export async function openFollowingBrowser(executablePath: string): Promise<FollowingBrowser> {
  const server = await listenLocally((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>console</title>'),
  );
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.addScriptTag({ content: await bundleFetchEventSource() });
  return {
    follow: async (url) => [
      createFollower('Chromium', await page.evaluateHandle(openSource, url)),
      createFollower('fetch-event-source', await page.evaluateHandle(openFetchedSource, url)),
    ],
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** Returns a script that defines the global `fetchEventSourcePackage`. */
async function bundleFetchEventSource(): Promise<string> {
  const bundle = await rolldown({ input: fileURLToPath(import.meta.resolve('@microsoft/fetch-event-source')) });
  const { output } = await bundle.generate({ format: 'iife', name: 'fetchEventSourcePackage' });
  return output[0].code;
}

function createFollower(name: string, source: JSHandle<FollowedSource>): StreamFollower {
  return {
    name,
    readMessages: () => source.evaluate(({ messages }) => messages),
    readEnd: () => source.evaluate(({ readEnd }) => readEnd()),
    close: () => source.evaluate(({ close }) => close()),
  };
}

interface FollowedSource {
  readonly messages: FollowedMessage[];
  /** Why it has given up, or null. */
  readEnd(): string | null;
  close(): void;
}

/** Runs in the page. */
function openSource(url: string): FollowedSource {
  const source = new EventSource(url);
  const messages: FollowedMessage[] = [];
  const names = ['stream.open', 'stream.gap', 'stream.closing', 'widget.created', 'widget.updated', 'widget.retired'];
  for (const event of [...names, 'message']) {
    source.addEventListener(event, (message) => {
      const { lastEventId, data } = message as MessageEvent;
      messages.push({ id: lastEventId, event, data });
    });
  }
  const readEnd = () => (source.readyState === EventSource.CLOSED ? 'the EventSource is closed' : null);
  return { messages, readEnd, close: () => source.close() };
}

/** Runs in the page, by docs/clients.md, which says what this package needs. */
function openFetchedSource(url: string): FollowedSource {
  const { fetchEventSourcePackage } = globalThis as {
    readonly fetchEventSourcePackage?: typeof import('@microsoft/fetch-event-source');
  };
  const messages: FollowedMessage[] = [];
  const stopped = new AbortController();
  let lastId = '';
  let end: string | null = null;
  const followed = fetchEventSourcePackage?.fetchEventSource(url, {
    signal: stopped.signal,
    openWhenHidden: true,
    onmessage: ({ id, event, data }) => {
      lastId = id === '' ? lastId : id;
      messages.push({ id: lastId, event: event === '' ? 'message' : event, data });
    },
    onclose: () => {
      throw new Error('connect again');
    },
  });
  followed?.catch((error: unknown) => {
    end = String(error);
  });
  return { messages, readEnd: () => end, close: () => stopped.abort() };
}
