import { expect, test } from 'vitest';
import { describeConnectionError, isCertificateRefusal } from './tls-error.ts';

const fromOpenSsl = (reason: string) =>
  new Error(
    `40CDC1D2EB7F0000:error:0A00045C:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/rec_layer_s3.c:918:SSL alert number 116\n`,
  );

test.each([
  ['tlsv13 alert certificate required', true],
  ['tlsv1 alert unknown ca', true],
  ['ssl/tls alert bad certificate', true],
  ['sslv3 alert certificate expired', true],
  ['sslv3 alert handshake failure', false],
  ['wrong version number', false],
])('an error of OpenSSL is described by its reason: %s', (reason, isRefusal) => {
  expect(describeConnectionError(fromOpenSsl(reason))).toBe(`TLS: ${reason}`);
  expect(isCertificateRefusal(fromOpenSsl(reason))).toBe(isRefusal);
});

test.each(['read ECONNRESET', 'connect ECONNREFUSED 127.0.0.1:1', 'self-signed certificate'])(
  'the message of another error stays: %s',
  (message) => {
    expect(describeConnectionError(new Error(message))).toBe(message);
    expect(isCertificateRefusal(new Error(message))).toBe(false);
  },
);
