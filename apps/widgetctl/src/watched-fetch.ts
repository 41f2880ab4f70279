import { isUnencryptedRemote } from '@widget-service/client/requests/address.ts';

/** Creates a `fetch` that says once for each address when others can read on the way what it sends. */
export function createWatchedFetch(note: (text: string) => void): typeof globalThis.fetch {
  const noted = new Set<string>();
  return (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (isUnencryptedRemote(origin) && !noted.has(origin)) {
      noted.add(origin);
      note(`Warning: ${origin} is not encrypted. Others on the way can read and change what you send. Use https.`);
    }
    return globalThis.fetch(input, init);
  };
}
