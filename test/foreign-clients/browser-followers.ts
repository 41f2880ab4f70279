import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
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
      createFollower(page, 'Chromium', await page.evaluate(openSource, url)),
      createFollower(page, 'fetch-event-source', await page.evaluate(openFetchedSource, url)),
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

function createFollower(page: Page, name: string, index: number): StreamFollower {
  return {
    name,
    readMessages: () => page.evaluate(readSourceMessages, index),
    readEnd: () => page.evaluate(readSourceEnd, index),
    close: () => page.evaluate(closeSource, index),
  };
}

interface FollowedSource {
  readonly messages: FollowedMessage[];
  /** Why it has given up, or null. */
  readEnd(): string | null;
  close(): void;
}

interface FollowingPage {
  followed?: FollowedSource[];
  readonly fetchEventSourcePackage?: typeof import('@microsoft/fetch-event-source');
}

/** Runs in the page. Returns the index of the new EventSource. */
function openSource(url: string): number {
  const source = new EventSource(url);
  const messages: FollowedMessage[] = [];
  const names = ['stream.open', 'stream.gap', 'stream.closing', 'widget.created', 'widget.updated', 'widget.retired'];
  for (const event of [...names, 'message']) {
    source.addEventListener(event, (message) => {
      const { lastEventId, data } = message as MessageEvent;
      messages.push({ id: lastEventId, event, data });
    });
  }
  const page = globalThis as FollowingPage;
  page.followed ??= [];
  const readEnd = () => (source.readyState === EventSource.CLOSED ? 'the EventSource is closed' : null);
  return page.followed.push({ messages, readEnd, close: () => source.close() }) - 1;
}

/** Runs in the page, by docs/clients.md, which says what this package needs. Returns the index of the new source. */
function openFetchedSource(url: string): number {
  const page = globalThis as FollowingPage;
  const messages: FollowedMessage[] = [];
  const stopped = new AbortController();
  let lastId = '';
  let end: string | null = null;
  const followed = page.fetchEventSourcePackage?.fetchEventSource(url, {
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
  page.followed ??= [];
  return page.followed.push({ messages, readEnd: () => end, close: () => stopped.abort() }) - 1;
}

/** Runs in the page. */
function readSourceMessages(index: number): FollowedMessage[] {
  return (globalThis as FollowingPage).followed?.[index]?.messages ?? [];
}

/** Runs in the page. */
function readSourceEnd(index: number): string | null {
  return (globalThis as FollowingPage).followed?.[index]?.readEnd() ?? null;
}

/** Runs in the page. */
function closeSource(index: number): void {
  (globalThis as FollowingPage).followed?.[index]?.close();
}
