import { describe, expect, it } from 'vitest';
import { parseSettings, type SettingsError } from './parse-settings.ts';

const api = { app: 'api', isTerminal: false } as const;
const mistakesOf = (environment: Record<string, string>, app: 'api' | 'worker' = 'api') => {
  try {
    parseSettings(environment, { app, isTerminal: false });
    return [];
  } catch (error) {
    return (error as SettingsError).lines;
  }
};

describe('parseSettings', () => {
  it('is embedded, on loopback, with nothing set', () => {
    const { settings, backend } = parseSettings({}, api);
    expect(backend).toBe('embedded');
    expect(settings).toMatchObject({ HOST: '127.0.0.1', PORT: 8080, OPS_PORT: 8081, COOKIE_SECURE: false });
  });

  it('is a cluster with both URLs, open to all addresses and with secure cookies', () => {
    const given = { MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://cache/', NODE_ENV: 'production' };
    const { settings, backend } = parseSettings(given, api);
    expect(backend).toBe('cluster');
    expect(settings).toMatchObject({
      HOST: '0.0.0.0',
      COOKIE_SECURE: true,
      MIGRATE_ON_START: false,
      ADMIN_EMAIL: null,
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(parseSettings({ PORT: '', REDIS_URL: '' }, api).settings.PORT).toBe(8080);
  });

  it('refuses one URL without the other, and a worker without both', () => {
    expect(mistakesOf({ REDIS_URL: 'redis://cache/' })).toEqual([expect.stringMatching(/^MONGODB_URL: not set/)]);
    expect(mistakesOf({ MONGODB_URL: 'mongodb://db/' })).toEqual([expect.stringMatching(/^REDIS_URL: not set/)]);
    expect(mistakesOf({}, 'worker')).toHaveLength(1);
  });

  it('names every mistake with what was given and what is allowed', () => {
    expect(mistakesOf({ PORT: '65536', COOKIE_SECURE: 'yes' })).toEqual([
      'PORT: "65536" is not allowed; allowed: a whole number from 0 to 65535',
      'COOKIE_SECURE: "yes" is not allowed; allowed: true or false',
    ]);
  });

  it('never shows a secret, and ends the process with 78', () => {
    const given = { MONGODB_URL: 'http://user:hunter2@db/', REDIS_URL: 'redis://cache/', ADMIN_PASSWORD: 'short' };
    const lines = mistakesOf(given);
    expect(lines).toHaveLength(2);
    expect(lines.join('\n')).not.toMatch(/hunter2|short/);
    expect(() => parseSettings(given, api)).toThrow(expect.objectContaining({ exitCode: 78 }));
  });
});
