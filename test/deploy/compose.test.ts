import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { settingsTable } from '@widget-service/shared/config/settings.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './read-manifests.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads a few fields of each service.
type Service = any;
const services: Record<string, Service> = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), {
  merge: true,
}).services;
const folder = mkdtempSync(join(tmpdir(), 'widget-compose-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command that makes the password, as the container does. */
function makePasswords(): { read: (name: string) => string } {
  const [, ...options] = services.passwords.command;
  const { status, stderr } = spawnSync(process.execPath, options, { env: { FOLDER: folder }, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return { read: (name) => readFileSync(join(folder, name), 'utf8') };
}

test('every setting of compose.yaml exists, its default is valid, and a proxy with TLS needs no change of the file', () => {
  makePasswords();
  const { NODE_ENV, ...given } = services.api.environment as Record<string, string>;
  expect(NODE_ENV).toBe('development');
  expect(Object.keys(settingsTable)).toEqual(
    expect.arrayContaining(Object.keys(given).map((name) => name.replace(/_FILE$/, ''))),
  );
  const settings = (shell: Readonly<Record<string, string>>) => {
    const entries = Object.entries(given).map(
      ([name, value]) => [name, substitute(value, shell).replace('/run/stores', folder)] as const,
    );
    return parseSettings(Object.fromEntries(entries), { app: 'api' }).settings;
  };
  const shell = { ADMIN_PASSWORD: 'at least twelve characters' };
  expect(settings(shell)).toMatchObject({ PUBLIC_BASE_URL: 'http://127.0.0.1:8080', COOKIE_SECURE: false });
  const behindProxy = { COOKIE_SECURE: 'true', PUBLIC_BASE_URL: 'https://widgets.example', TRUSTED_PROXIES: '1' };
  expect(settings({ ...shell, ...behindProxy })).toMatchObject({
    PUBLIC_BASE_URL: 'https://widgets.example',
    COOKIE_SECURE: true,
    TRUSTED_PROXIES: 1,
  });
});

/** Replaces `${NAME:-default}` and `${NAME:?message}` as Docker Compose does. */
function substitute(value: string, shell: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    if (shell[name] === undefined && kind === '?') throw new Error(`${name}: ${rest}`);
    return shell[name] ?? rest;
  });
}

describe('the stores of compose.yaml', () => {
  test('have one random password, which a second start keeps', () => {
    const { read } = makePasswords();
    const password = read('PASSWORD');
    expect(password).toMatch(/^[\da-f]{48}$/);
    expect(new URL(read('REDIS_URL')).password).toBe(password);
    expect(read('MONGODB_URL')).toContain(`//root:${password}@mongodb:`);
    expect(makePasswords().read('PASSWORD')).toBe(password);
    // Each container has its own user. Nobody may write it.
    expect(statSync(join(folder, 'PASSWORD')).mode & 0o777).toBe(0o444);
  });

  test('are reached by the service alone, and have the password as a file', () => {
    for (const name of ['mongodb', 'redis']) {
      expect(services[name].networks).toEqual(['stores']);
      expect(services[name].ports).toBeUndefined();
      expect(services[name].volumes).toContain('passwords:/run/stores:ro');
    }
    expect(services.mongodb.environment.MONGO_INITDB_ROOT_PASSWORD_FILE).toBe('/run/stores/PASSWORD');
  });
});

describe('the containers of compose.yaml', () => {
  test.each(Object.entries(services))(
    '%s has a read-only root, no capability, and gets no further ones',
    (name, service) => {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service.restart).toBe(name === 'passwords' ? 'no' : 'unless-stopped');
    },
  );

  test('wait until what they need is healthy', () => {
    for (const name of ['api', 'worker']) {
      expect(services[name].depends_on).toEqual({
        mongodb: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
      });
    }
  });

  test('have the password of the first admin in api pods only', () => {
    const names = Object.keys(services).filter((name) => JSON.stringify(services[name]).includes('ADMIN_PASSWORD'));
    expect(names).toEqual(['api']);
  });
});
