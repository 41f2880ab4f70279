import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { InstalledClient } from './install-clients.ts';

/** A message as the client reported it. */
export interface FollowedMessage {
  /** The last received id. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A client that follows one stream and reconnects as its library does. */
export interface StreamFollower {
  readonly name: string;
  /** Returns all messages so far, in order of arrival. */
  readMessages(): Promise<readonly FollowedMessage[]>;
  /** Returns why the client has given up, or null while it follows the stream. */
  readEnd(): Promise<string | null>;
  close(): Promise<void>;
}

/** Starts a client. It trusts the certificate in the file `certificate`. */
export function startFollower(client: InstalledClient, url: string, certificate: string): StreamFollower {
  const [program = '', ...options] = client.command;
  // The first variable is for Node.js, the second for Go, OpenSSL and httpx.
  const trust = { NODE_EXTRA_CA_CERTS: certificate, SSL_CERT_FILE: certificate };
  const child = spawn(program, [...options, url], {
    env: { ...process.env, ...trust },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const messages: FollowedMessage[] = [];
  const complaints: string[] = [];
  let end: string | null = null;
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line) as FollowedMessage));
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const closed = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      end = `ended with ${signal ?? code}: ${complaints.slice(-5).join('\n')}`;
      resolve();
    });
  });
  return {
    name: client.name,
    readMessages: async () => messages,
    readEnd: async () => end,
    close: () => {
      child.kill('SIGKILL');
      return closed;
    },
  };
}
