export type TabMessage = 'signed-in' | 'signed-out';

const channel = new BroadcastChannel('widget-service-console');

/** Tells all other tabs of this browser that show the console. */
export function tellOtherTabs(message: TabMessage): void {
  channel.postMessage(message);
}

export function listenToOtherTabs(listener: (message: TabMessage) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => listener(data));
}
