const maxLength = 80;
/** Only the beginning of a long header is searched, because a dozen patterns search it and it may have 16 KiB. */
const maxReadLength = 256;

/** In this order: the user agents of later browsers contain the names of earlier ones. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?(?:iOS)?\/(\d+)/, 'Edge'],
  [/\b(?:OPR|OPT|OPX)\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/, 'Chrome'],
  // Safari has its version apart from its name.
  [/\bVersion\/(\d+)/, 'Safari'],
];

/** In this order: Android says Linux too, and iPhones say Mac OS X. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Returns a short text by which a person recognises a device, from its `User-Agent`: `Firefox 145 on Windows`, or else
 * the first product of the header, such as `curl/8.5.0`. At most 80 characters, printable ASCII. Null if nothing is
 * left. A client may send any header, so the text proves nothing.
 */
export function describeDevice(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null;
  const text = userAgent.slice(0, maxReadLength);
  const [browser, version] = findBrowser(text);
  const system = systems.find(([pattern]) => pattern.test(text))?.[1];
  if (browser !== undefined) return `${browser} ${version}${system === undefined ? '' : ` on ${system}`}`;
  const [product = ''] = text
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .split(' ');
  return product === '' ? null : product.slice(0, maxLength);
}

function findBrowser(userAgent: string): readonly [string, string] | readonly [] {
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (name === 'Safari' && !userAgent.includes(' Safari/')) continue;
    if (version !== undefined) return [name, version.slice(0, 6)];
  }
  return [];
}
