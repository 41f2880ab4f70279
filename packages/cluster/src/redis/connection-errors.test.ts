import { expect, test } from 'vitest';
import { describeConnectionError } from './connection-errors.ts';

const fromOpenSsl = (reason: string) =>
  new Error(
    `40CDC1D2EB7F0000:error:0A00045C:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/rec_layer_s3.c:918:SSL alert number 116\n`,
  );

test.each([
  'tlsv13 alert certificate required',
  'tlsv1 alert unknown ca',
  'ssl/tls alert bad certificate',
  'sslv3 alert certificate expired',
  'sslv3 alert handshake failure',
  'wrong version number',
])('an error of OpenSSL is described by its reason: %s', (reason) => {
  expect(describeConnectionError(fromOpenSsl(reason))).toBe(`TLS: ${reason}`);
});

test.each(['read ECONNRESET', 'connect ECONNREFUSED 127.0.0.1:1', 'self-signed certificate'])(
  'the message of another error stays: %s',
  (message) => {
    expect(describeConnectionError(new Error(message))).toBe(message);
  },
);
