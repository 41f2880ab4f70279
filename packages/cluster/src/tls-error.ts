/** OpenSSL: `40CDC1…:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/…:116\n`. */
const openSslError = /\S*error:[\dA-F]+:SSL routines:[^:]*:([^:]+):.*\n?/;

/** Returns the message of an error of a connection; of an error of OpenSSL, only what went wrong. */
export function describeConnectionError({ message }: Error): string {
  return message.replace(openSslError, 'TLS: $1');
}
