export const handOver = {
  title: 'Hand-over',
  warning: "Copy the secrets now. The service keeps only hashes and can't show them again. If you lose one, rotate it.",
  gone: 'The secrets are shown only once',
  goneText: 'The service keeps only hashes. If you have lost the secrets, rotate them: the integration gets new ones.',
  toIntegration: 'View integration',
  done: 'Done',
  send: 'Send this to the partner',
  url: 'Hook URL (secret)',
  signingSecret: 'Signing secret (Standard Webhooks)',
  show: 'Show',
  hide: 'Hide',
  download: 'Download as .env',
  copyInstructions: 'Copy instructions',
  instructionsHint: 'The instructions are an e-mail text without secrets. Send the secrets another way.',
  /** The text of an e-mail to the partner. */
  writeInstructions: (name: string, isSigned: boolean) =>
    [
      'Hello,',
      '',
      `You can now send us hooks (integration "${name}"). We will send you ${
        isSigned ? 'a secret URL and a signing secret' : 'a secret URL'
      } separately. Please protect ${isSigned ? 'both' : 'it'} like a password.`,
      '',
      'Send each hook as a POST request to the URL, with the header "content-type: application/json" and a body like this:',
      '',
      '  {"kind": "updated", "occurredAt": "2026-01-01T10:00:00Z", "widgetId": "<the id of the widget>", "payload": {"lux": 300}}',
      '',
      '- kind is "created", "updated" or "retired". occurredAt is the time of the event.',
      '- widgetId and payload are optional. The payload is any JSON object.',
      '- Put your own unique id into the header "webhook-id". If you send a hook again, use the same id: it then counts once.',
      ...(isSigned
        ? [
            '- Sign each hook as https://www.standardwebhooks.com describes. Libraries for most languages do it. By hand: the header',
            '  "webhook-timestamp" is the time in seconds since 1970. The header "webhook-signature" is "v1," and the base64 of an',
            '  HMAC-SHA256 over id.timestamp.body. The key is what follows "whsec_" in the signing secret, decoded from base64.',
          ]
        : []),
      '',
      'The response 202 means that the hook is stored. After 429 or 503, wait as many seconds as "Retry-After" says, then send it again.',
      'After 400, the response says what is wrong: please correct the hook.',
      '',
    ].join('\n'),
  tryIt: 'Try it',
  tryHint:
    'Each sample reads the secrets from the environment. Keep others from reading the downloaded file, then load it into your shell:',
  waiting: 'Waiting for the first hook…',
  waitingHint: 'It appears here as soon as it arrives, even if it is refused.',
  arrived: 'First hook arrived',
  view: 'View hook',
  refused: 'Refused',
  leaveTitle: 'Leave without a copy?',
  leaveText: "Not every secret has been copied yet. Once you leave this page, they can't be shown again.",
  stay: 'Stay',
  saved: "I've saved it",
};
