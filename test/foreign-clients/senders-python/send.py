"""Posts one request as each sender does, signed by the sender's own package.

Standard input: {"<preset>": {"url", "secret"}}. It prints a line of JSON for each: {"sender", "status"}.
"""

import json
import sys
import time
import uuid
from datetime import datetime, timezone
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from cloudevents.v1.conversion import to_binary, to_structured
from cloudevents.v1.http import CloudEvent
from slack_sdk.signature import SignatureVerifier
from standardwebhooks import Webhook
from stripe import WebhookSignature
from twilio.request_validator import RequestValidator

JSON = {"content-type": "application/json"}


def slack(secret, url):
    event = {"type": "changed", "channel": "python"}
    body = json.dumps({"type": "event_callback", "event_id": f"Ev{uuid.uuid4()}", "event_time": int(time.time()), "event": event})
    timestamp = str(int(time.time()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=body)
    return {**JSON, "x-slack-request-timestamp": timestamp, "x-slack-signature": signature}, body


def stripe(secret, url):
    event = {"id": f"evt_{uuid.uuid4()}", "type": "changed", "created": int(time.time()), "data": {"object": {"id": "python"}}}
    body = json.dumps(event)
    return {**JSON, "stripe-signature": WebhookSignature.generate_signature_header(body, secret)}, body


def twilio(secret, url):
    fields = {"CallSid": "python", "CallStatus": "changed", "Caller": "+12349013030"}
    signature = RequestValidator(secret).compute_signature(url, fields)
    headers = {"x-twilio-signature": signature, "i-twilio-idempotency-token": str(uuid.uuid4())}
    return {**headers, "content-type": "application/x-www-form-urlencoded"}, urlencode(fields)


def standard_webhooks(secret, url):
    now = datetime.now(tz=timezone.utc)
    message = f"msg_{uuid.uuid4()}"
    body = json.dumps({"type": "changed", "timestamp": now.isoformat(), "data": {"id": "python"}})
    signature = Webhook(secret).sign(message, now, body)
    headers = {"webhook-id": message, "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": signature}
    return {**JSON, **headers}, body


def cloud_event(secret, write, subject):
    event = CloudEvent({"type": "changed", "source": "/plant", "subject": subject}, {"pressure": 1})
    headers, body = write(event)
    return {**JSON, **headers, "authorization": f"Bearer {secret}"}, body


SENDERS = {
    "slack": slack,
    "stripe": stripe,
    "twilio": twilio,
    "standard-webhooks": standard_webhooks,
    "cloudevents": lambda secret, url: cloud_event(secret, to_structured, "python"),
    "cloudevents binary": lambda secret, url: cloud_event(secret, to_binary, "python binary"),
}

targets = json.load(sys.stdin)
for sender, build in SENDERS.items():
    target = targets[sender.split(" ")[0]]
    headers, body = build(target["secret"], target["url"])
    data = body if isinstance(body, bytes) else body.encode()
    try:
        with urlopen(Request(target["url"], data=data, headers=headers)) as response:
            status = response.status
    except HTTPError as error:
        status = error.code
    print(json.dumps({"sender": sender, "status": status}), flush=True)
