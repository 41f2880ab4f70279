"""Follows the stream at the URL in the first argument with httpx-sse, as its users do.

httpx-sse does not reconnect, so this program does. It ends with an error at any status but 200, and at any other media
type. Prints each message as one line of JSON.
"""

import json
import sys
import time

import httpx
from httpx_sse import connect_sse

# httpx gives up after 5 s without a byte, unless told otherwise. A stream may be silent for a heartbeat interval.
timeout = httpx.Timeout(10, read=45)
last_event_id = ""
retry_seconds = 3.0

with httpx.Client(timeout=timeout) as client:
    while True:
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        try:
            with connect_sse(client, "GET", sys.argv[1], headers=headers) as source:
                source.response.raise_for_status()
                for sse in source.iter_sse():
                    last_event_id = sse.id or last_event_id
                    retry_seconds = retry_seconds if sse.retry is None else sse.retry / 1000
                    print(json.dumps({"id": sse.id, "event": sse.event, "data": sse.data}), flush=True)
        except httpx.TransportError as error:
            print(repr(error), file=sys.stderr, flush=True)
        time.sleep(retry_seconds)
