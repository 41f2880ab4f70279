import { defineSetting } from './define-setting.ts';
import { contacts, flag, utcTime } from './value-schemas.ts';

/** Settings of what the service tells the public about itself. Part of `settingsTable`. */
export const pageSettings = {
  CONSOLE_ENABLED: defineSetting(
    flag,
    true,
    'Whether the service serves the console, the page for operators at /console. With false, it is 404.',
  ),
  DOCS_ENABLED: defineSetting(
    flag,
    true,
    'Whether the service serves its documentation: /docs, /api/v1/openapi.json, /api/v1/asyncapi.json and /problems. With false, these are 404.',
  ),
  SECURITY_CONTACT: defineSetting<readonly string[] | null>(
    contacts,
    null,
    'Whom to tell about a vulnerability, in /.well-known/security.txt: comma-separated mailto:, https: or tel: URIs, the preferred one first.',
  ),
  SECURITY_CONTACT_EXPIRES: defineSetting(
    utcTime,
    null,
    'When SECURITY_CONTACT is out of date, for example 2027-06-30T00:00:00Z. Needed with it. Less than a year ahead is usual.',
  ),
} as const;
