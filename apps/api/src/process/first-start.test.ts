import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { formatStartupBanner } from './first-start.ts';

test.each(["o'brien@example.com", 'a&b$HOME`x`@example.com'])(
  'formatStartupBanner prints a sign-in command that sends exactly the e-mail %s when a shell runs it',
  (email) => {
    const urls = { url: 'http://127.0.0.1:8080', opsUrl: 'http://127.0.0.1:8081', hasConsole: true };
    const [signInLine = ''] = formatStartupBanner({ ...urls, email, password: 'x' }).match(/^printf .*$/m) ?? [];
    // A shell runs the line with a stub of curl that prints the body: its standard input.
    const script = `curl() { cat >&3; }; ${signInLine.replace('> csrf', '')}`;
    const sentBody = execFileSync('sh', ['-c', `{ ${script}; } 3>&1 >/dev/null`], { encoding: 'utf8' });
    expect(signInLine).not.toMatch(/curl[^|]*password/);
    expect(JSON.parse(sentBody)).toEqual({ email, password: 'x' });
  },
);

test('formatStartupBanner names the console only if the service serves it', () => {
  const banner = { url: 'http://127.0.0.1:8080', opsUrl: 'http://127.0.0.1:8081', email: '', password: null };
  expect(formatStartupBanner({ ...banner, hasConsole: true })).toContain('http://127.0.0.1:8080/console/');
  expect(formatStartupBanner({ ...banner, hasConsole: false })).not.toContain('/console');
});
