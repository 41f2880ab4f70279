const openSslMark = ':SSL routines:';

/**
 * Returns the message of an error of a connection; of an error of OpenSSL, only what went wrong. OpenSSL writes
 * `40CDC1…:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/…:116\n`.
 */
export function describeConnectionError({ message }: Pick<Error, 'message'>): string {
  const at = message.indexOf(openSslMark);
  if (at === -1) return message;
  const [, reason = ''] = message.slice(at + openSslMark.length).split(':');
  // What a driver has put in front ends before the number of the thread.
  const prefix = message.slice(0, message.lastIndexOf(' ', at) + 1);
  return `${prefix}TLS: ${reason}`;
}
