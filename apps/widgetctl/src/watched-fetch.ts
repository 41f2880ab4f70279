/** Creates a `fetch` that says once for each address when what it sends can be read on the way. */
export function createWatchedFetch(note: (text: string) => void): typeof globalThis.fetch {
  const noted = new Set<string>();
  return (input, init) => {
    const { protocol, hostname, origin } = new URL(input instanceof Request ? input.url : input);
    if (protocol === 'http:' && !isLoopback(hostname) && !noted.has(origin)) {
      noted.add(origin);
      note(`Warning: ${origin} is not encrypted. Others on the way can read and change what you send. Use https.`);
    }
    return globalThis.fetch(input, init);
  };
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
