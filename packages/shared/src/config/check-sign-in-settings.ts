import type { Settings } from './settings.ts';

const neededWithIssuer = ['PUBLIC_BASE_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLE_MAPPING'] as const;
const uselessWithoutIssuer = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLE_MAPPING'] as const;

/** Returns one line per mistake. With such settings, nobody could sign in, or nobody could manage the service. */
export function checkSignInSettings(settings: Settings): string[] {
  if (settings.OIDC_ISSUER_URL === null) {
    const lines = uselessWithoutIssuer
      .filter((name) => settings[name] !== null)
      .map((name) => `${name}: set without OIDC_ISSUER_URL; set both, or neither`);
    if (settings.PASSWORD_SIGN_IN_ENABLED) return lines;
    return [
      ...lines,
      'PASSWORD_SIGN_IN_ENABLED: false without OIDC_ISSUER_URL, so nobody could sign in; allow passwords, or set up an identity provider',
    ];
  }
  const lines = neededWithIssuer
    .filter((name) => settings[name] === null)
    .map((name) => `${name}: not set; OIDC_ISSUER_URL needs it`);
  const mapped = [...(settings.OIDC_ROLE_MAPPING?.values() ?? [])];
  if (settings.PASSWORD_SIGN_IN_ENABLED || mapped.length === 0 || mapped.includes('admin')) return lines;
  return [
    ...lines,
    'OIDC_ROLE_MAPPING: gives nobody the role admin although PASSWORD_SIGN_IN_ENABLED is false, so nobody could manage the service; map a value to admin, or allow passwords',
  ];
}
