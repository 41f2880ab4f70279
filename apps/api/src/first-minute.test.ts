import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { describeFirstMinute } from './first-start.ts';

it.each(["o'brien@example.com", 'a&b$HOME`x`@example.com'])('signs in as %s when the lines are pasted', (email) => {
  const urls = { url: 'http://127.0.0.1:8080', opsUrl: 'http://127.0.0.1:8081' };
  const [signIn = ''] = describeFirstMinute({ ...urls, email, password: 'x' }).match(/^CSRF=.*$/m) ?? [];
  // What a shell makes of the line, with a curl that shows what it would send.
  const script = `curl() { printf '%s' "$7" >&3; }; ${signIn}`;
  const sent = execFileSync('sh', ['-c', `{ ${script}; } 3>&1 >/dev/null`], { encoding: 'utf8' });
  expect(JSON.parse(sent)).toEqual({ email, password: 'x' });
});
