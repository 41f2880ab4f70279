/** Returns the address as a sender may sign it: without a port, and with its own port or that of its scheme. */
export function listSignedUrls(url: string): readonly string[] {
  const match = /^(https?):\/\/([^/?#:]+)(:\d+)?(.*)$/s.exec(url);
  if (match === null) return [url];
  const [, scheme = '', host = '', port, rest = ''] = match;
  const standard = scheme === 'https' ? ':443' : ':80';
  const withoutPort = `${scheme}://${host}${rest}`;
  return [withoutPort, port === undefined ? `${scheme}://${host}${standard}${rest}` : url];
}
