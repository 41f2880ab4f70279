"""Uses the client that openapi-python-client generates: signs in, issues a provision token, creates and lists widgets.

Arguments: the folder of the generated client, the address of the service, the e-mail and password of an admin. Prints the
created widget and the names in the list as one line of JSON.
"""

import json
import sys

folder, base_url, email, password = sys.argv[1:]
sys.path.insert(0, folder)

from widget_service_client import AuthenticatedClient, Client  # noqa: E402
from widget_service_client.api.provision_tokens import example_provision_tokens_create as issue_token  # noqa: E402
from widget_service_client.api.session import example_session_create as sign_in  # noqa: E402
from widget_service_client.api.widgets import example_widgets_create as create_widget  # noqa: E402
from widget_service_client.api.widgets import example_widgets_list as list_widgets  # noqa: E402
from widget_service_client.models import Credentials, NewProvisionToken, NewWidget  # noqa: E402

response = sign_in.sync_detailed(client=Client(base_url=base_url), body=Credentials(email=email, password=password))
cookie = response.headers["set-cookie"].split(";")[0].split("=", 1)[1]
signed_in = Client(
    base_url=base_url,
    cookies={"service_console": cookie},
    headers={"X-Csrf-Token": response.parsed.csrf_token},
)
token = issue_token.sync(client=signed_in, body=NewProvisionToken(name="a script"))
script = AuthenticatedClient(base_url=base_url, token=token.token)
created = create_widget.sync(client=script, body=NewWidget(name="lamp", labels=["hall"]), idempotency_key="one")
page = list_widgets.sync(client=signed_in, page_size=10)
print(json.dumps({"created": created.to_dict(), "listed": [widget.name for widget in page.items]}))
