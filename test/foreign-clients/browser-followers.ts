import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from 'playwright-core';
import type { FollowedMessage, StreamFollower } from './stream-follower.ts';

/** A browser with one page. The origin of the page is another one than that of the streams. */
export interface FollowingBrowser {
  /** Opens an EventSource in the page. */
  follow(url: string): Promise<StreamFollower>;
  close(): Promise<void>;
}

/** Starts the browser. It accepts every certificate. */
export async function openFollowingBrowser(executablePath: string): Promise<FollowingBrowser> {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>console</title>'),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    follow: async (url) => createFollower(page, await page.evaluate(openSource, url)),
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

function createFollower(page: Page, index: number): StreamFollower {
  return {
    name: 'Chromium',
    readMessages: () => page.evaluate(readSourceMessages, index),
    readEnd: async () => ((await page.evaluate(isSourceClosed, index)) ? 'the EventSource is closed' : null),
    close: () => page.evaluate(closeSource, index),
  };
}

interface FollowingPage {
  followed?: { readonly source: EventSource; readonly messages: FollowedMessage[] }[];
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
  return page.followed.push({ source, messages }) - 1;
}

/** Runs in the page. */
function readSourceMessages(index: number): FollowedMessage[] {
  return (globalThis as FollowingPage).followed?.[index]?.messages ?? [];
}

/** Runs in the page. */
function isSourceClosed(index: number): boolean {
  return (globalThis as FollowingPage).followed?.[index]?.source.readyState === EventSource.CLOSED;
}

/** Runs in the page. */
function closeSource(index: number): void {
  (globalThis as FollowingPage).followed?.[index]?.source.close();
}
