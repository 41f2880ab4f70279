// Made from the OpenAPI document of the service by `npm run write:client-interface`. Do not edit.

/** Every operation of the service, by path and method. */
export interface paths {
    "/api/v1/widgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List widgets
         * @description Returns one page of widgets, newest first.
         *
         *     Needs the permission `widgets:read`.
         */
        get: operations["example.widgets.list"];
        put?: never;
        /**
         * Create a widget
         * @description Send an `Idempotency-Key` to make the request safe to repeat: the service creates one widget, and every repetition gets the first response body, byte for byte. A key is valid for as long as its widget exists. The same key with another body gives 409. A provision token creates a bounded number of widgets an hour; beyond it, the response is 429 and says the bound.
         *
         *     Needs the permission `widgets:create`.
         */
        post: operations["example.widgets.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/widgets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a widget
         * @description Returns one widget. The `Location` header of a create response refers to this operation.
         *
         *     Needs the permission `widgets:read`.
         */
        get: operations["example.widgets.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream widget events
         * @description The response stays open and carries server-sent events. Everybody who has the address can read it, also from pages of other origins. In a browser, use `new EventSource(address)`.
         *
         *     Each widget event has an `event:` of `widget.created`, `widget.updated` or `widget.retired`, one CloudEvents object in `data:`, and the position to resume from in `id:`. After a broken connection, a browser resumes by itself. No event is lost; some may be sent again, with the same `id` in their CloudEvents object. If events after the requested position are no longer kept, `stream.gap` reports this before `stream.open`.
         *
         *     Events about the stream itself have names that begin with `stream.`. Ignore names that you do not know. The service sends a heartbeat comment about every 15 seconds, and closes each stream after about half an hour: connect again.
         *
         *     An unknown, expired or revoked token gives 404. If the stream is temporarily unavailable, the response is 200 with `stream.closing` as its only event, because any other status stops a browser's EventSource permanently.
         */
        get: operations["example.events.stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/hooks/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an inbound hook
         * @description Accepts a hook of an outside system. 202 means that the hook is durably queued: it is applied to its widget once, and becomes one event on the streams. If it cannot be processed, it becomes a dead letter, which `GET /api/v1/integrations/{id}/deliveries` shows.
         *
         *     Repeat a hook until you get 202. As long as the service keeps the delivery (7 days by default), hooks of one integration with the same `webhook-id` are one event. For hooks without a `webhook-id`, the `Idempotency-Key` decides. With neither, hooks with the same content are one event if the integration has `deduplicateByContent` and the hook has a `widgetId` or a `payload`; otherwise each hook is an event of its own. After a 400, correct the request before you send it again.
         *
         *     An integration with a `source` accepts what its sender sends instead of this body, also as a form or as CloudEvents: its `mapping` makes a hook of it.
         */
        post: operations["example.events.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Returns who is signed in, and the `csrfToken` of the session. A page that was reloaded gets its `csrfToken` here.
         *
         *     For every signed-in user.
         */
        get: operations["example.session.get"];
        put?: never;
        /**
         * Sign in
         * @description Starts a new session and sets its cookie. If the request has the cookie of another session, that session ends. A second cookie, the device cookie, lets the rate limit recognise this browser next time. The response is the same for an unknown e-mail address, a wrong password and a disabled user. Failed attempts count towards the rate limit; those that succeed have a generous one per user.
         */
        post: operations["example.session.create"];
        /**
         * Sign out
         * @description Ends the session and clears its cookie.
         *
         *     For every signed-in user.
         */
        delete: operations["example.session.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in through the identity provider
         * @description Open this address in a browser, as a link: it leads to the identity provider (OpenID Connect, authorization code with PKCE), and from there back with a session. A sealed cookie keeps the sign-in for ten minutes, the last four of a browser side by side. A browser that fails is led to the sign-in page of the console. 404 if the operator has configured no provider.
         */
        get: operations["example.session.startOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return from the identity provider
         * @description The identity provider sends the browser here. Verifies the response, takes the role from the ID token, starts a session and sets its cookie. A failed attempt ends this sign-in, too, and no other: its cookie is cleared. A browser that fails is led to the sign-in page of the console; with a session, it goes on there. After a 503, the browser can send the same callback again. Failed attempts count towards the rate limit; those that succeed have a generous one per user.
         */
        get: operations["example.session.finishOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Returns one page of your sessions that have not ended, the newest sign-in first. `current` marks the session of this request.
         *
         *     For every signed-in user.
         */
        get: operations["example.sessions.list"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere
         * @description Ends all sessions of the user, including this one.
         *
         *     For every signed-in user.
         */
        delete: operations["example.sessions.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your own password
         * @description Ends all sessions of the user, and starts a new one: the response sets its cookie, and is the same as that of a sign-in. The streams of the ended sessions close within 2 seconds. After a 503, send the same request again, with the same cookie: if the new password is already stored, the service only replaces the sessions. If no response arrives at all, sign in with the new password. To recognise such a repeated request, the service tries the new password when the current one is wrong. So a wrong current password counts as two failed sign-ins. The rate limit of signing in applies, so that nobody can guess passwords in a session that was left open.
         *
         *     For every signed-in user.
         */
        put: operations["example.session.changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description The session ends on every server at once, and its personal streams close within 2 seconds. After a 503, repeat the request until you get 204 or 404; the streams then close within a minute. If it is the session of this request, the response also clears its cookie.
         *
         *     For every signed-in user.
         */
        delete: operations["example.sessions.end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a personal stream token
         * @description For a page that shows the widgets as they change. The token is valid for one hour at most, and ends with the session. A user has at most 100 live tokens: beyond that, the oldest one ends, and its streams with it. This response is the only one that shows it.
         *
         *     Needs the permission `widgets:read`.
         */
        post: operations["example.session.createStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Returns one page of users, newest first.
         *
         *     Needs the permission `users:manage`.
         */
        get: operations["example.users.list"];
        put?: never;
        /**
         * Create a user
         * @description Needs the permission `users:manage`.
         */
        post: operations["example.users.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Needs the permission `users:manage`.
         */
        get: operations["example.users.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Members that are left out or null keep their value, except that a null `name` removes the name. Disabling a user or setting a password ends all sessions of that user. You cannot set your own password here: `PUT /api/v1/session/password` asks for the current one. A user who signs in through the identity provider has no password, and gets the role from the provider again at each sign-in.
         *
         *     Needs the permission `users:manage`.
         */
        patch: operations["example.users.update"];
        trace?: never;
    };
    "/api/v1/users/{id}/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unlock a user
         * @description Forgets the failed sign-ins of the user, so that a user whom failures from many addresses have locked out can sign in from any browser. Failures from one address still count for up to a minute.
         *
         *     Needs the permission `users:manage`.
         */
        post: operations["example.users.unlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's sessions
         * @description Returns one page of the sessions of a user that have not ended, the newest sign-in first.
         *
         *     Needs the permission `users:manage`.
         */
        get: operations["example.users.listSessions"];
        put?: never;
        post?: never;
        /**
         * End all of a user's sessions
         * @description The user is not disabled, and can sign in again. Sessions end on every server at once, and their personal streams close within 2 seconds. After a 503, repeat the request; the streams then close within a minute.
         *
         *     Needs the permission `users:manage`.
         */
        delete: operations["example.users.endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of a user's sessions
         * @description The user is not disabled, and can sign in again. Sessions end on every server at once, and their personal streams close within 2 seconds. After a 503, repeat the request; the streams then close within a minute.
         *
         *     Needs the permission `users:manage`.
         */
        delete: operations["example.users.endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description Returns one page, newest first. Tokens are never included. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `createdBefore`.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        get: operations["example.subscriptions.list"];
        put?: never;
        /**
         * Create a subscription
         * @description This response is the only one that shows the token. Store it now, and keep it secret.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        post: operations["example.subscriptions.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a subscription
         * @description Needs the permission `subscriptions:manage`.
         */
        get: operations["example.subscriptions.get"];
        put?: never;
        post?: never;
        /**
         * Delete a subscription
         * @description Its tokens stop working, and any streams opened with them close, within 2 seconds. After a 503 it may already be deleted: repeat the request until you get 204 or 404.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        delete: operations["example.subscriptions.delete"];
        options?: never;
        head?: never;
        /**
         * Change a subscription
         * @description Members that are left out keep their value. `null` sets a member to its default; `name` has none.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        patch: operations["example.subscriptions.update"];
        trace?: never;
    };
    "/api/v1/subscriptions/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the token of a subscription
         * @description Replaces the token. This response is the only one that shows the new token. The previous token keeps working for `overlapSeconds`; an even older one stops working now.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        post: operations["example.subscriptions.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/{id}/previous-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the previous token of a subscription
         * @description The token that the last rotation replaced stops working within 2 seconds; the current one stays. Does nothing if there is no previous token. After a 503 it may have ended already: repeat the request until you get 204 or 404.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        delete: operations["example.subscriptions.endPreviousToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/{id}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the open streams of a subscription
         * @description Asks every server process for its open streams of the subscription, and returns the last opened first: at most 1 000. `podsAnswered` is less than `podsAsked` if a process did not answer within a second. A process that has lost its connection to Redis is not asked.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        get: operations["example.subscriptions.listConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/{id}/connections/{connectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End an open stream of a subscription
         * @description The stream ends with `stream.closing` and the reason `lifetime`, so its client reconnects and resumes. To keep the client out, delete the subscription or rotate its token. A 503 means that the stream was not found, but a server process did not answer: repeat the request.
         *
         *     Needs the permission `subscriptions:manage`.
         */
        delete: operations["example.subscriptions.endConnection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrations
         * @description Returns one page, newest first. Tokens are never included. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `createdBefore`.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.integrations.list"];
        put?: never;
        /**
         * Create an integration
         * @description This response is the only one that shows the token. Store it now, and keep it secret.
         *
         *     Needs the permission `integrations:manage`.
         */
        post: operations["example.integrations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an integration
         * @description Needs the permission `integrations:manage`.
         */
        get: operations["example.integrations.get"];
        put?: never;
        post?: never;
        /**
         * Delete an integration
         * @description Its tokens stop working, and any streams opened with them close, within 2 seconds. After a 503 it may already be deleted: repeat the request until you get 204 or 404.
         *
         *     Needs the permission `integrations:manage`.
         */
        delete: operations["example.integrations.delete"];
        options?: never;
        head?: never;
        /**
         * Change an integration
         * @description Members that are left out keep their value. `null` sets a member to its default; `name` has none.
         *
         *     Needs the permission `integrations:manage`.
         */
        patch: operations["example.integrations.update"];
        trace?: never;
    };
    "/api/v1/integrations/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the token of an integration
         * @description Replaces the token. This response is the only one that shows the new token. The previous token keeps working for `overlapSeconds`; an even older one stops working now.
         *
         *     Needs the permission `integrations:manage`.
         */
        post: operations["example.integrations.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/previous-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the previous token of an integration
         * @description The token that the last rotation replaced stops working within 2 seconds; the current one stays. Does nothing if there is no previous token. After a 503 it may have ended already: repeat the request until you get 204 or 404.
         *
         *     Needs the permission `integrations:manage`.
         */
        delete: operations["example.integrations.endPreviousToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/source/mapping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the mapping of an integration
         * @description Replaces the whole mapping. It applies to requests that arrive from then on, on every pod within 2 seconds. A hook that was accepted before was mapped before.
         *
         *     Needs the permission `integrations:manage`.
         */
        put: operations["example.integrations.changeMapping"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/source/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the secrets of an integration
         * @description Replaces all secrets of the source, on every pod within 2 seconds. To change the secret of a sender without a refused hook: send the new one and the old one, change it at the sender, then send the new one alone.
         *
         *     Needs the permission `integrations:manage`.
         */
        put: operations["example.integrations.replaceSecrets"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a source
         * @description Says, step by step, what the service would do with a request of the sender: signature, mapping, the hook, and the event as streams would send it. Nothing is stored, and nothing is sent.
         *
         *     Needs the permission `integrations:manage`.
         */
        post: operations["example.integrations.previewSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a hook of an integration
         * @description Says, step by step, what the service would do with a request of the sender: signature, mapping, the hook, and the event as streams would send it. Nothing is stored, and nothing is sent. The integration must have a source.
         *
         *     Needs the permission `integrations:manage`.
         */
        post: operations["example.integrations.preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List samples
         * @description Returns requests of the sender that were refused, as they were sent, the newest first: `headers` and `body` are what a preview takes. At most 10 are kept, each with at most 64 KiB of body: per server process, one a second and code.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.samples.list"];
        /**
         * Keep samples
         * @description Keeps refused requests of the sender for a while, so that a mapping or a secret can be corrected with them. Then all are deleted, and each one at the latest 24 hours after its arrival. To call it again changes the end. Only headers that hold neither a secret nor an address are kept; bodies are kept as they were sent. The deletion of the integration deletes them, too. The integration must have a source.
         *
         *     Needs the permission `integrations:manage`.
         */
        put: operations["example.samples.keep"];
        post?: never;
        /**
         * Delete samples
         * @description Deletes all samples of the integration at once, and keeps no more.
         *
         *     Needs the permission `integrations:manage`.
         */
        delete: operations["example.samples.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provision-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List provision tokens
         * @description Returns one page, newest first. Tokens are never included. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `createdBefore`.
         *
         *     Needs the permission `tokens:manage`.
         */
        get: operations["example.provisionTokens.list"];
        put?: never;
        /**
         * Create a provision token
         * @description This response is the only one that shows the token. Store it now, and keep it secret.
         *
         *     Needs the permission `tokens:manage`.
         */
        post: operations["example.provisionTokens.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provision-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a provision token
         * @description Needs the permission `tokens:manage`.
         */
        get: operations["example.provisionTokens.get"];
        put?: never;
        post?: never;
        /**
         * Delete a provision token
         * @description Its tokens stop working, and any streams opened with them close, within 2 seconds. After a 503 it may already be deleted: repeat the request until you get 204 or 404.
         *
         *     Needs the permission `tokens:manage`.
         */
        delete: operations["example.provisionTokens.delete"];
        options?: never;
        head?: never;
        /**
         * Change a provision token
         * @description Members that are left out keep their value. `null` sets a member to its default; `name` has none.
         *
         *     Needs the permission `tokens:manage`.
         */
        patch: operations["example.provisionTokens.update"];
        trace?: never;
    };
    "/api/v1/provision-tokens/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the token of a provision token
         * @description Replaces the token. This response is the only one that shows the new token. The previous token keeps working for `overlapSeconds`; an even older one stops working now.
         *
         *     Needs the permission `tokens:manage`.
         */
        post: operations["example.provisionTokens.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provision-tokens/{id}/previous-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the previous token of a provision token
         * @description The token that the last rotation replaced stops working within 2 seconds; the current one stays. Does nothing if there is no previous token. After a 503 it may have ended already: repeat the request until you get 204 or 404.
         *
         *     Needs the permission `tokens:manage`.
         */
        delete: operations["example.provisionTokens.endPreviousToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Returns the accepted hooks of an integration with their states, the latest received first. A published or discarded delivery is listed for 7 days after that, unless the operator of the service has set another time. Other deliveries are listed without limit. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.deliveries.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of all integrations
         * @description Returns the accepted hooks of all integrations, also of deleted ones, with their states, the latest received first. They are kept as those of one integration. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.deliveries.listAll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/widgets/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a widget
         * @description Returns the accepted hooks that name the widget, of all integrations, the latest received first, each with what it changed and with its payload, if that is short. So it is the history of the widget since its creation, as far as deliveries are kept: a published or discarded one for 7 days after that, unless the operator of the service has set another time. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.
         *
         *     Needs the permission `widgets:read`.
         */
        get: operations["example.widgets.listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/deliveries/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns the state of one accepted hook, with its payload as it was sent, and the event that streams send. The response is 404 until a worker has registered the delivery.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.deliveries.get"];
        put?: never;
        post?: never;
        /**
         * Discard a dead delivery
         * @description Erases the payload of the delivery for good. The delivery stays listed with the state `discarded` for 7 days, unless the operator of the service has set another time; in this time repetitions of the hook are dropped. It can never be redriven again: a redrive that is still queued has no effect. Discarding it again changes nothing. The integration may have been deleted.
         *
         *     Needs the permission `integrations:manage`.
         */
        delete: operations["example.deliveries.discard"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List refusals
         * @description Returns the recent hooks of an integration that were refused, the newest first, each with the problem that its sender got. At most 100 are kept, for at most 7 days. Each server process lists one per second and code, about a second after it happened; `unlisted` counts the others. A hook with an unknown token belongs to no integration, so it is never listed.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.refusals.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hook-counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the hooks of each integration
         * @description Returns how many hooks were accepted and refused in each of the last 24 hours, in the order of the list of integrations. The counts are approximate and up to 10 seconds old. Hooks with an unknown token belong to no integration.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.hookCounts.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/deliveries/{eventId}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive a dead delivery
         * @description Puts the delivery back into the queue. The response shows the delivery before it is processed: read it again later to see the outcome. However often you redrive a delivery, it takes effect once.
         *
         *     Needs the permission `integrations:manage`.
         */
        post: operations["example.deliveries.redrive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/deliveries/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive dead deliveries
         * @description Puts up to 100 dead deliveries back into the queue, and says what became of each. If none could be queued because of an error, the response is that error. Each that is redriven has an audit event of its own.
         *
         *     Needs the permission `integrations:manage`.
         */
        post: operations["example.deliveries.redriveMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive dead deliveries of any integrations
         * @description Puts up to 100 dead deliveries back into the queue, and says what became of each. If none could be queued because of an error, the response is that error. Each that is redriven has an audit event of its own.
         *
         *     Needs the permission `integrations:manage`.
         */
        post: operations["example.deliveries.redriveAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List quarantined texts
         * @description Returns the texts of the hook queue that could not even become dead letters, the newest first. They are kept until they are discarded. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.quarantine.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quarantine/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a quarantined text
         * @description Returns one quarantined text with its origin.
         *
         *     Needs the permission `integrations:manage`.
         */
        get: operations["example.quarantine.get"];
        put?: never;
        post?: never;
        /**
         * Discard a quarantined text
         * @description Removes the text for good. After a 503 it may already be removed: repeat the request until you get 204 or 404.
         *
         *     Needs the permission `integrations:manage`.
         */
        delete: operations["example.quarantine.discard"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description Returns who did what, the newest first. Events are kept for 400 days, unless the operator of the service has set another time. The event of a change is listed before the change is acknowledged; a refused or failed request is listed within seconds. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.
         *
         *     Needs the permission `audit:read`.
         */
        get: operations["example.auditEvents.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of the service
         * @description Returns the last hour, the hook queue, dead deliveries, the pods and workers, and what is wrong now. It asks every pod and worker. What does not answer in time is missing or null, and a condition says so. The same answer is returned for up to one second.
         *
         *     Needs the permission `audit:read`.
         */
        get: operations["example.overview.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
/** The shapes of requests and responses, in `schemas`. */
export interface components {
    schemas: {
        /** @description A session of a user that has not ended. */
        ActiveSession: {
            /**
             * Format: uuid
             * @description Names the session in requests. It is no secret.
             */
            id: string;
            /** @description What signed in, by its `User-Agent`: a browser and a system, or the name of a program. Null: unknown. A client can send any name. */
            device: string | null;
            /** @description The address at sign-in. Null: unknown, for example because the request came through a proxy that the service does not trust. */
            address: string | null;
            /**
             * Format: date-time
             * @description When the user signed in.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the session was last used, accurate to a minute.
             */
            lastUsedAt: string;
            /**
             * Format: date-time
             * @description When the session expires at the latest. It expires earlier if it is idle for long.
             */
            expiresAt: string;
            /** @description Whether it is the session of this request. */
            current: boolean;
        };
        /** @description Who did what, on what, from which address, when, and with which outcome. */
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description For a request: when the service began to process it.
             */
            occurredAt: string;
            /**
             * @description What was done. There may be further actions at any time.
             * @enum {string}
             */
            action: "session.created" | "session.failed" | "session.ended" | "personal-stream.issued" | "password.changed" | "user.created" | "user.changed" | "user.unlocked" | "subscription.created" | "subscription.changed" | "subscription.token-rotated" | "subscription.revoked" | "integration.created" | "integration.changed" | "integration.token-rotated" | "integration.mapping-changed" | "integration.secrets-replaced" | "integration.samples-kept" | "integration.samples-deleted" | "integration.revoked" | "provision-token.created" | "provision-token.changed" | "provision-token.token-rotated" | "provision-token.revoked" | "delivery.redriven" | "delivery.discarded" | "quarantined-text.discarded" | "widget.created" | "stream.ended" | "access.refused";
            /** @description The `operationId` of the request. Null without a request, and if the event stands for several. */
            operation: string | null;
            /**
             * @description `succeeded`: it took place. `refused`: it did not take place. `failed`: the service could not finish it; it may have taken place all the same.
             * @enum {string}
             */
            outcome: "succeeded" | "refused" | "failed";
            /** @description The code of the problem that the client got. Null if it succeeded. */
            code: string | null;
            /** @description Who did it. The `id` is null for `anonymous`, for `identity-provider`, which gave a user or a role at a sign-in, and for `system`: the service itself. */
            actor: {
                /** @enum {string} */
                kind: "user" | "provision-token" | "anonymous" | "identity-provider" | "system";
                id: string | null;
            };
            /** @description The actor's name when it happened: of a user, who without a name has the e-mail here, or of a provision token. Null if there is none, none is known, or a version of the service without this member wrote the event. */
            actorName: string | null;
            /** @description What it was done to. Null if there is none, or none is known. */
            target: {
                /** @enum {string} */
                kind: "user" | "subscription" | "integration" | "provision-token" | "delivery" | "quarantined-text" | "widget";
                /** Format: uuid */
                id: string;
            } | null;
            /** @description The target's name after the change, as `actorName`; of a deleted target, its last one. Null also for the deliveries and quarantined texts, which have no names, and for failed sign-ins. */
            targetName: string | null;
            /** @description The address of the client: IPv4, or the /64 network of an IPv6 address. Null if the request came through a proxy that the service does not trust, and if the event stands for several addresses. */
            clientAddress: string | null;
            /** @description For a failed sign-in: the HMAC-SHA256 of its e-mail, in hexadecimal. Failed sign-ins with one e-mail have one value. Null for everything else. */
            emailHmac: string | null;
            /** @description The changed members before the change. Null if there were none. Never a secret. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The changed members after the change. Null if there are none. Never a secret. */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description The request in the log. For `stream.ended`, the one that opened the stream. Null without a request, and if the event stands for several. */
            requestId: string | null;
            /** @description How many more events like this one, in about the same minute on the same server process, are not listed. Only events that did not succeed and ended streams are counted in this way. Their e-mails may differ. */
            unlisted: number;
        };
        /** @description An open stream of a subscription. */
        Connection: {
            /**
             * Format: uuid
             * @description The `X-Request-Id` of the response, which is the stream.
             */
            id: string;
            /** @description The address of the client. Null if the request came through a proxy that the service does not trust. */
            address: string | null;
            /** @description The last event that was written, or that the filter left out. */
            position: string;
            /** Format: date-time */
            openedAt: string;
            /** @description Bytes since the opening that the network has accepted. */
            sentBytes: number;
            /** @description Bytes that wait for the client. */
            unsentBytes: number;
            /** @description The server process that holds the stream: host name and process id. */
            pod: string;
        };
        Credentials: {
            email: string;
            password: string;
        };
        /** @description The state of an accepted hook. It appears once a worker has registered the hook or made it a dead letter, usually within a second after the 202. */
        Delivery: {
            /**
             * Format: uuid
             * @description The event id: the `Webhook-Event-Id` of the 202 response.
             */
            eventId: string;
            /**
             * Format: uuid
             * @description The integration that posted the hook.
             */
            integrationId: string;
            /** @description The name that the integration has now. Null if it is deleted. */
            integrationName: string | null;
            /** @description `created`, `updated` or `retired`. A dead letter that could not be parsed may have any text here. */
            kind: string;
            /** @description The `occurredAt` of the hook, as the sender wrote it. */
            occurredAt: string;
            /** Format: date-time */
            receivedAt: string;
            widgetId: string | null;
            /**
             * @description `received`: a worker has registered it. `published`: its event is in the event log. `dead`: it cannot be processed. It stays dead until it is redriven or discarded. `discarded`: it was dead, and its payload is erased.
             * @enum {string}
             */
            state: "received" | "published" | "dead" | "discarded";
            /** @description How many times a worker has registered it, other than as a duplicate. 0 for a dead letter that could not be registered. */
            attempts: number;
            /** @description How many repetitions of the hook were dropped. */
            duplicates: number;
            /** @description Why it is a dead letter. `invalid-delivery`: its queue item is malformed, or processing it fails every time. `store-refused`: the store will never accept it. Null if it is neither dead nor discarded. */
            reason: ("invalid-delivery" | "store-refused") | null;
            publishedAt: string | null;
            /** @description The position of its event in the event log. Null before publication, and also if an earlier attempt had already written the event to the log. */
            position: string | null;
            /** @description What the hook changed in its widget. Null before publication, and if the hook names no known widget. Also null if a version of the service without this member published it. */
            effect: {
                /** @description The `version` of the widget right after the hook. */
                version: number;
                /**
                 * @description The state of the widget right after the hook.
                 * @enum {string}
                 */
                state: "active" | "retired";
                /** @description Whether the hook changed the state. */
                stateChanged: boolean;
                /** @description Whether the hook tells of something that happened before the `lastEventAt` that the widget had when the hook was applied. */
                late: boolean;
            } | null;
        };
        /** @description The state of an accepted hook that names a widget, with a short payload. */
        DeliveryOfWidget: {
            /**
             * Format: uuid
             * @description The event id: the `Webhook-Event-Id` of the 202 response.
             */
            eventId: string;
            /**
             * Format: uuid
             * @description The integration that posted the hook.
             */
            integrationId: string;
            /** @description The name that the integration has now. Null if it is deleted. */
            integrationName: string | null;
            /** @description `created`, `updated` or `retired`. A dead letter that could not be parsed may have any text here. */
            kind: string;
            /** @description The `occurredAt` of the hook, as the sender wrote it. */
            occurredAt: string;
            /** Format: date-time */
            receivedAt: string;
            widgetId: string | null;
            /**
             * @description `received`: a worker has registered it. `published`: its event is in the event log. `dead`: it cannot be processed. It stays dead until it is redriven or discarded. `discarded`: it was dead, and its payload is erased.
             * @enum {string}
             */
            state: "received" | "published" | "dead" | "discarded";
            /** @description How many times a worker has registered it, other than as a duplicate. 0 for a dead letter that could not be registered. */
            attempts: number;
            /** @description How many repetitions of the hook were dropped. */
            duplicates: number;
            /** @description Why it is a dead letter. `invalid-delivery`: its queue item is malformed, or processing it fails every time. `store-refused`: the store will never accept it. Null if it is neither dead nor discarded. */
            reason: ("invalid-delivery" | "store-refused") | null;
            publishedAt: string | null;
            /** @description The position of its event in the event log. Null before publication, and also if an earlier attempt had already written the event to the log. */
            position: string | null;
            /** @description What the hook changed in its widget. Null before publication, and if the hook names no known widget. Also null if a version of the service without this member published it. */
            effect: {
                /** @description The `version` of the widget right after the hook. */
                version: number;
                /**
                 * @description The state of the widget right after the hook.
                 * @enum {string}
                 */
                state: "active" | "retired";
                /** @description Whether the hook changed the state. */
                stateChanged: boolean;
                /** @description Whether the hook tells of something that happened before the `lastEventAt` that the widget had when the hook was applied. */
                late: boolean;
            } | null;
            /** @description The content attached by the sender, as it was sent. Null if there was none, if the delivery is discarded, and if the content is longer than 4096 bytes. */
            payload: unknown;
        };
        /** @description The state of an accepted hook, with its payload and its event. */
        DeliveryWithPayload: {
            /**
             * Format: uuid
             * @description The event id: the `Webhook-Event-Id` of the 202 response.
             */
            eventId: string;
            /**
             * Format: uuid
             * @description The integration that posted the hook.
             */
            integrationId: string;
            /** @description The name that the integration has now. Null if it is deleted. */
            integrationName: string | null;
            /** @description `created`, `updated` or `retired`. A dead letter that could not be parsed may have any text here. */
            kind: string;
            /** @description The `occurredAt` of the hook, as the sender wrote it. */
            occurredAt: string;
            /** Format: date-time */
            receivedAt: string;
            widgetId: string | null;
            /**
             * @description `received`: a worker has registered it. `published`: its event is in the event log. `dead`: it cannot be processed. It stays dead until it is redriven or discarded. `discarded`: it was dead, and its payload is erased.
             * @enum {string}
             */
            state: "received" | "published" | "dead" | "discarded";
            /** @description How many times a worker has registered it, other than as a duplicate. 0 for a dead letter that could not be registered. */
            attempts: number;
            /** @description How many repetitions of the hook were dropped. */
            duplicates: number;
            /** @description Why it is a dead letter. `invalid-delivery`: its queue item is malformed, or processing it fails every time. `store-refused`: the store will never accept it. Null if it is neither dead nor discarded. */
            reason: ("invalid-delivery" | "store-refused") | null;
            publishedAt: string | null;
            /** @description The position of its event in the event log. Null before publication, and also if an earlier attempt had already written the event to the log. */
            position: string | null;
            /** @description What the hook changed in its widget. Null before publication, and if the hook names no known widget. Also null if a version of the service without this member published it. */
            effect: {
                /** @description The `version` of the widget right after the hook. */
                version: number;
                /**
                 * @description The state of the widget right after the hook.
                 * @enum {string}
                 */
                state: "active" | "retired";
                /** @description Whether the hook changed the state. */
                stateChanged: boolean;
                /** @description Whether the hook tells of something that happened before the `lastEventAt` that the widget had when the hook was applied. */
                late: boolean;
            } | null;
            /** @description The content attached by the sender, as it was sent; null if there was none, and if the delivery is discarded. */
            payload: unknown;
            /** @description The event as streams send it. Null before publication, when the event log no longer holds it or does not answer, and if `position` is null. */
            event: components["schemas"]["WidgetEvent"] | null;
        };
        /** @description Which events a subscription receives. An event must match every member that is not null, by at least one of its values. `states` matches the state before or after the event, `labels` any label of the widget, `widgetIds` the widget id that was sent. At most 100 values each; null matches every event. */
        EventFilter: {
            types: ("widget.created" | "widget.updated" | "widget.retired")[] | null;
            widgetIds: string[] | null;
            states: ("active" | "retired")[] | null;
            labels: string[] | null;
        };
        /** @description How many hooks an integration sent in each of the last 24 hours, approximately. */
        HookCounts: {
            /** Format: uuid */
            integrationId: string;
            integrationName: string;
            /**
             * Format: date-time
             * @description When the first hour begins: a full hour in UTC. The last hour is the current one.
             */
            startsAt: string;
            /** @description Hooks answered with 202 in each hour, the oldest first. Repetitions count, too. */
            accepted: number[];
            /** @description Hooks refused in each hour. */
            refused: number[];
        };
        /** @description A hook: what an outside system reports about a widget. Unknown members are ignored. */
        HookEvent: {
            /**
             * @description What happened.
             * @enum {string}
             */
            kind: "created" | "updated" | "retired";
            /**
             * Format: date-time
             * @description When it happened, in UTC: from 1970 to 24 hours after the time of the service. A time after that of the receipt counts as that.
             */
            occurredAt: string;
            /** @description The widget concerned. A hook with an unknown widget, or none, changes no widget but still becomes an event on the streams. */
            widgetId?: string | null;
            /** @description Free-form content attached by the sender. The service passes it on unchanged. */
            payload?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description What the service would do with a request. Nothing is stored. */
        HookPreview: {
            /**
             * @description `hook`: it would be accepted. `ignored`: answered with 202, without effect. `answered`: a handshake of the sender, answered with 200 and `answer`. `refused`: see `refusal`.
             * @enum {string}
             */
            outcome: "hook" | "ignored" | "answered" | "refused";
            signature: {
                /** @enum {string} */
                result: "valid" | "invalid" | "not-verified";
                /** @description Which secret of the integration, from 1. */
                secret: number | null;
                /** @description Why it is not valid. */
                reason: string | null;
            };
            /** @description Each value that was read, in the order in which it was read. */
            mapped: {
                /** @enum {string} */
                member: "signature" | "body" | "only" | "kind" | "occurredAt" | "widgetId" | "id" | "payload";
                /** @description The text in the request; null: there is none. */
                read: string | null;
                /** @description The member of the hook, or what the mapping decided; null: nothing, or the text is refused. */
                became: string | null;
            }[];
            answer: string | null;
            /** @description The step that failed. Null: none did. */
            refusal: {
                /** @enum {string} */
                step: "signature" | "body" | "only" | "kind" | "occurredAt" | "widgetId" | "id" | "payload";
                reason: string;
                pointer?: string;
                header?: string;
            } | null;
            /** @description The hook as the interface describes hooks. Null: there is none. */
            hook: {
                /** @enum {string} */
                kind: "created" | "updated" | "retired";
                occurredAt: string;
                widgetId: string | null;
                /** @description What identifies repetitions. */
                id: string | null;
                payload: {
                    [key: string]: unknown;
                } | null;
            } | null;
            /** @description The event as streams would send it now. Before the integration exists, it names the nil UUID as its integration, and no widget that is known by a name. */
            event: components["schemas"]["WidgetEvent"] | null;
        };
        /** @description A refused request of a foreign sender, as it was sent. */
        HookSample: {
            /**
             * Format: uuid
             * @description The `requestId` of the problem and of the log line.
             */
            requestId: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description The code of the problem that the sender got. */
            code: string;
            /** @description The step that failed, as a preview says it. */
            refusal: {
                step: string;
                reason: string;
                pointer?: string;
                header?: string;
            };
            /** @description The values of each header, as a preview takes them, without `withheldHeaders`. */
            headers: {
                [key: string]: string[];
            };
            /** @description The names of the other headers: they may hold a secret, or the address of a client. To see one, let the mapping read it. */
            withheldHeaders: string[];
            /** @description The body as it was sent. It may hold personal data. */
            body: string;
        };
        /** @description Refused requests of the sender of an integration. */
        HookSamples: {
            /** @description Until when samples are kept; then all are deleted. Null: none are kept. */
            keptUntil: string | null;
            /** @description The newest first. */
            items: components["schemas"]["HookSample"][];
        };
        /** @description How the integration understands a foreign sender. */
        HookSource: {
            /** @enum {string} */
            preset: "github" | "gitlab" | "stripe" | "shopify" | "slack" | "linear" | "twilio" | "twilio-shared-key" | "standard-webhooks" | "cloudevents" | "custom";
            /** @description Null: that of the preset. */
            scheme: {
                [key: string]: unknown;
            } | null;
            mapping: {
                only: {
                    from?: string;
                    header?: string;
                    value?: string;
                    in: string[];
                }[];
                kind: {
                    from?: string;
                    header?: string;
                    value?: string;
                    values: {
                        [key: string]: "created" | "updated" | "retired" | "ignore" | "refuse";
                    };
                    /** @enum {string} */
                    otherwise: "created" | "updated" | "retired" | "ignore" | "refuse";
                };
                occurredAt: {
                    from?: string;
                    header?: string;
                    value?: string;
                    now?: boolean;
                    format: string;
                    otherwise: string;
                };
                widgetId: {
                    from?: string;
                    header?: string;
                    value?: string;
                    all?: {
                        from?: string;
                        header?: string;
                        value?: string;
                    }[];
                    as: string;
                    otherwise: string;
                } | null;
                id: {
                    from?: string;
                    header?: string;
                    value?: string;
                    all?: {
                        from?: string;
                        header?: string;
                        value?: string;
                    }[];
                } | null;
                payload: {
                    from: string;
                    without?: string[];
                } | null;
            };
        };
        Identity: {
            /**
             * Format: uri
             * @description The issuer identifier of the identity provider.
             */
            issuer: string;
            /** @description The `sub` of the user at this issuer. */
            subject: string;
        };
        /** @description A grant to post hooks. */
        Integration: {
            /** Format: uuid */
            id: string;
            name: string;
            /**
             * @description Whether hooks must be signed, as Standard Webhooks describes. `source`: as the source says.
             * @enum {string}
             */
            signature: "none" | "standard-webhooks" | "source";
            /** @description Whether hooks with the same content are one event. It applies to hooks that have neither a `webhook-id` nor an `Idempotency-Key`. Among these, hooks with neither `widgetId` nor `payload` are always different events. */
            deduplicateByContent: boolean;
            /** @description The rate limit of this integration, in hooks per second; a hook counts once for each started 4 KiB of its body. Null: the default of the service. */
            rate: number | null;
            /** @description Null: its hooks are as described. */
            source: components["schemas"]["HookSource"] | null;
            /** @description When it expires; null: never. */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When its current token was issued: at its creation, or at the last rotation.
             */
            tokenIssuedAt: string;
            /** @description Until when the previous token works after a rotation. It may be over. Null: there is no previous token. */
            previousExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The id of the user that created it.
             */
            createdBy: string;
            /** @description When a hook of the integration was last accepted, accurate to a minute. */
            lastReceivedAt: string | null;
        };
        IntegrationChanges: {
            /** @description A name for people to recognise it by: 1 to 200 characters after trimming, without control characters and invisible ones. */
            name?: string;
            expiresAt?: string | null;
            deduplicateByContent?: boolean | null;
            rate?: number | null;
        };
        IntegrationRotation: {
            /** @description How long the previous token keeps working, in seconds. Default: `300`. */
            overlapSeconds?: number | null;
            /** @description Null or left out: as before. If it changes from `none` to `standard-webhooks`, the previous address takes hooks without a signature as long as it works: send `overlapSeconds` 0 to end that now. */
            signature?: ("none" | "standard-webhooks") | null;
            /** @description The secret to sign hooks with, if the sender dictates it: `whsec_` and the base64 of 24 to 64 bytes. Null or left out: the service makes one. It implies `signature: "standard-webhooks"`. No response shows it. */
            signingSecret?: string | null;
            /** @description The secrets of the source. Required if, and only if, the integration has one. */
            secrets?: string[] | null;
        } | null;
        IssuedIntegration: {
            /** Format: uuid */
            id: string;
            name: string;
            /**
             * @description Whether hooks must be signed, as Standard Webhooks describes. `source`: as the source says.
             * @enum {string}
             */
            signature: "none" | "standard-webhooks" | "source";
            /** @description Whether hooks with the same content are one event. It applies to hooks that have neither a `webhook-id` nor an `Idempotency-Key`. Among these, hooks with neither `widgetId` nor `payload` are always different events. */
            deduplicateByContent: boolean;
            /** @description The rate limit of this integration, in hooks per second; a hook counts once for each started 4 KiB of its body. Null: the default of the service. */
            rate: number | null;
            /** @description Null: its hooks are as described. */
            source: components["schemas"]["HookSource"] | null;
            /** @description When it expires; null: never. */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When its current token was issued: at its creation, or at the last rotation.
             */
            tokenIssuedAt: string;
            /** @description Until when the previous token works after a rotation. It may be over. Null: there is no previous token. */
            previousExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The id of the user that created it.
             */
            createdBy: string;
            /** @description When a hook of the integration was last accepted, accurate to a minute. */
            lastReceivedAt: string | null;
            /** @description The token. Keep it secret: it is not shown again. */
            token: string;
            /**
             * Format: uri
             * @description The address to use. It contains the token, so keep the whole address secret.
             */
            url: string;
            /** @description Present if hooks must be signed and the service made the secret to sign with. It is not shown again. */
            signingSecret?: string;
        };
        IssuedProvisionToken: {
            /** Format: uuid */
            id: string;
            name: string;
            permissions: ("widgets:read" | "widgets:create" | "subscriptions:manage" | "integrations:manage" | "tokens:manage" | "users:manage" | "audit:read")[];
            /** @description When it expires; null: never. */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When its current token was issued: at its creation, or at the last rotation.
             */
            tokenIssuedAt: string;
            /** @description Until when the previous token works after a rotation. It may be over. Null: there is no previous token. */
            previousExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The id of the user that created it.
             */
            createdBy: string;
            /** @description When it was last used, accurate to a minute. */
            lastUsedAt: string | null;
            /** @description The token. Keep it secret: it is not shown again. */
            token: string;
        };
        IssuedSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            filter: components["schemas"]["EventFilter"];
            /** @description When it expires; null: never. */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When its current token was issued: at its creation, or at the last rotation.
             */
            tokenIssuedAt: string;
            /** @description Until when the previous token works after a rotation. It may be over. Null: there is no previous token. */
            previousExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The id of the user that created it.
             */
            createdBy: string;
            /** @description When a stream was last opened with it, accurate to a minute. */
            lastConnectedAt: string | null;
            /** @description The token. Keep it secret: it is not shown again. */
            token: string;
            /**
             * Format: uri
             * @description The address to use. It contains the token, so keep the whole address secret.
             */
            url: string;
        };
        /** @description One mistake in a request, with exactly one of `pointer`, `parameter` and `header`. */
        Mistake: {
            /** @description What is wrong, as text for people. */
            detail: string;
            /**
             * @description What is wrong, as a code for programs.
             * @enum {string}
             */
            code: "required" | "type" | "format" | "enum" | "too-short" | "too-long" | "too-small" | "too-large" | "unknown-field" | "repeated";
            /** @description A JSON pointer into the body (RFC 6901), as a URI fragment. */
            pointer?: string;
            /** @description The name of a query parameter. */
            parameter?: string;
            /** @description The name of a header. */
            header?: string;
        };
        /** @description Which events a subscription receives. An event must match every member that is not null, by at least one of its values. `states` matches the state before or after the event, `labels` any label of the widget, `widgetIds` the widget id that was sent. At most 100 values each; null matches every event. */
        NewEventFilter: {
            /** @description Default: `null`. */
            types?: ("widget.created" | "widget.updated" | "widget.retired")[] | null;
            /** @description Default: `null`. */
            widgetIds?: string[] | null;
            /** @description Default: `null`. */
            states?: ("active" | "retired")[] | null;
            /** @description Default: `null`. */
            labels?: string[] | null;
        };
        /** @description Where the members of a hook are in the requests of the sender. `from`: a JSON Pointer into the body (of a form, into an object of its fields, or into the JSON of its field `payload`). `header`: a header. `value`: a constant. */
        NewHookMapping: {
            /** @description A request that does not match every filter is ignored: it gets 202, and has no effect. */
            only?: {
                /** @description A JSON Pointer (RFC 6901) into the body. */
                from?: string;
                /** @description The name of a header. */
                header?: string;
                in: string[];
            }[];
            kind: {
                /** @description A JSON Pointer (RFC 6901) into the body. */
                from?: string;
                /** @description The name of a header. */
                header?: string;
                /** @description A constant. */
                value?: string;
                /** @description What each text of the sender stands for. A text that is a kind itself needs no member. */
                values?: {
                    [key: string]: "created" | "updated" | "retired" | "ignore" | "refuse";
                };
                /**
                 * @description For every other text, and where there is none. Default: `"refuse"`.
                 * @enum {string}
                 */
                otherwise?: "created" | "updated" | "retired" | "ignore" | "refuse";
            };
            /** @description Null or left out: as the preset says. */
            occurredAt?: {
                /** @description A JSON Pointer (RFC 6901) into the body. */
                from?: string;
                /** @description The name of a header. */
                header?: string;
                /**
                 * @description The time of the arrival.
                 * @constant
                 */
                now?: true;
                /**
                 * @description Default: `"rfc3339"`.
                 * @enum {string}
                 */
                format?: "rfc3339" | "unix-seconds" | "unix-milliseconds";
                /**
                 * @description Where there is no text. Default: `"refuse"`.
                 * @enum {string}
                 */
                otherwise?: "now" | "refuse";
            } | null;
            /** @description Null or left out: hooks have no widget. */
            widgetId?: {
                /** @description A JSON Pointer (RFC 6901) into the body. */
                from?: string;
                /** @description The name of a header. */
                header?: string;
                /** @description A constant. */
                value?: string;
                /** @description Several places. The text is then the JSON array of their texts, which no other texts give. */
                all?: {
                    /** @description A JSON Pointer (RFC 6901) into the body. */
                    from?: string;
                    /** @description The name of a header. */
                    header?: string;
                    /** @description A constant. */
                    value?: string;
                }[];
                /**
                 * @description `name`: any text. The widget is the UUIDv5 of the text in the namespace of the integration’s id, so that the same foreign object is always the same widget. Default: `"uuid"`.
                 * @enum {string}
                 */
                as?: "uuid" | "name";
                /**
                 * @description Where there is no text. Default: `"refuse"`.
                 * @enum {string}
                 */
                otherwise?: "none" | "refuse";
            } | null;
            /** @description What identifies repetitions of a hook. Left out: as the preset says. Null: the content does, if the integration has `deduplicateByContent`. */
            id?: {
                /** @description A JSON Pointer (RFC 6901) into the body. */
                from?: string;
                /** @description The name of a header. */
                header?: string;
                /** @description Several places. The text is then the JSON array of their texts, which no other texts give. */
                all?: {
                    /** @description A JSON Pointer (RFC 6901) into the body. */
                    from?: string;
                    /** @description The name of a header. */
                    header?: string;
                    /** @description A constant. */
                    value?: string;
                }[];
            } | null;
            /** @description An object in the body. Left out: the whole body without what the sender documents as secret. Null: hooks have no payload. */
            payload?: {
                /** @description A JSON Pointer (RFC 6901) into the body. */
                from: string;
                /** @description Members of the object that the payload leaves out: JSON Pointers into the object. */
                without?: string[];
            } | null;
        };
        NewHookPreview: {
            /** @description The headers of the request. An array: it was sent several times. If the header with the secret or the signature is an empty text, the signature is not verified. */
            headers?: {
                [key: string]: string | string[];
            };
            /** @description The body of the request, as the sender sent it: a signature depends on each byte. */
            body: string;
            /** @description The address that the sender posts to. Some senders sign it. For an integration that exists, only the address opens its secrets: without it, the signature is not verified. */
            url?: string;
        };
        /** @description How the integration understands a sender that cannot send hooks as the interface describes them: how it signs, and where the members of a hook are. */
        NewHookSource: {
            /**
             * @description The sender. `custom`: any other; `scheme` then says how it signs.
             * @enum {string}
             */
            preset: "github" | "gitlab" | "stripe" | "shopify" | "slack" | "linear" | "twilio" | "twilio-shared-key" | "standard-webhooks" | "cloudevents" | "custom";
            /** @description Only with the preset `custom`. */
            scheme?: components["schemas"]["SignatureScheme"] | null;
            mapping: components["schemas"]["NewHookMapping"];
            /** @description What the sender signs with, or sends: several while it changes its secret. No response shows them, and only with the token of the address can they be read. */
            secrets?: string[];
        };
        NewIntegration: {
            /** @description A name for people to recognise it by: 1 to 200 characters after trimming, without control characters and invisible ones. */
            name: string;
            /** @description When it expires: a time in UTC, in the future. Null: never, or when the lifetime of its token ends if the service limits that. Default: `null`. */
            expiresAt?: string | null;
            /** @description Default: `true`. */
            deduplicateByContent?: boolean | null;
            /** @description Default: `null`. */
            rate?: number | null;
            /** @description Default: `"none"`. */
            signature?: ("none" | "standard-webhooks") | null;
            /** @description The secret to sign hooks with, if the sender dictates it: `whsec_` and the base64 of 24 to 64 bytes. Null or left out: the service makes one. It implies `signature: "standard-webhooks"`. No response shows it. */
            signingSecret?: string | null;
            /** @description For a sender that cannot send hooks as described. Null or left out: its hooks are as described. */
            source?: components["schemas"]["NewHookSource"] | null;
        };
        NewOwner: {
            /**
             * Format: uuid
             * @description The user who owns the widget. The service does not check that this user exists.
             */
            userId: string;
            /** Format: email */
            email: string;
            /** @description Whether the owner wishes to be notified of events. The service stores and returns it, but sends no notifications. Default: `false`. */
            notify?: boolean | null;
        };
        NewProvisionToken: {
            /** @description A name for people to recognise it by: 1 to 200 characters after trimming, without control characters and invisible ones. */
            name: string;
            /** @description When it expires: a time in UTC, in the future. Null: never, or when the lifetime of its token ends if the service limits that. Default: `null`. */
            expiresAt?: string | null;
            /** @description Default: `["widgets:create"]`. */
            permissions?: "widgets:create"[] | null;
        };
        NewSourcePreview: {
            source: components["schemas"]["TriedHookSource"];
            /** @description The headers of the request. An array: it was sent several times. If the header with the secret or the signature is an empty text, the signature is not verified. */
            headers?: {
                [key: string]: string | string[];
            };
            /** @description The body of the request, as the sender sent it: a signature depends on each byte. */
            body: string;
            /** @description The address that the sender posts to. Some senders sign it. For an integration that exists, only the address opens its secrets: without it, the signature is not verified. */
            url?: string;
        };
        NewSubscription: {
            /** @description A name for people to recognise it by: 1 to 200 characters after trimming, without control characters and invisible ones. */
            name: string;
            /** @description When it expires: a time in UTC, in the future. Null: never, or when the lifetime of its token ends if the service limits that. Default: `null`. */
            expiresAt?: string | null;
            /** @description Default: `null`. */
            filter?: components["schemas"]["NewEventFilter"] | null;
        };
        /** @description A user to create. */
        NewUser: {
            /** Format: email */
            email: string;
            /** Format: password */
            password: string;
            /** @description A name for people: 1 to 200 characters after trimming, without control characters and invisible ones. Default: `null`. */
            name?: string | null;
            /** @description Default: `"viewer"`. */
            role?: ("viewer" | "editor" | "admin") | null;
        };
        /** @description A widget to create. */
        NewWidget: {
            /** @description 1 to 200 characters after trimming, without control characters and invisible ones. */
            name: string;
            /** @description A widget may be created as `retired`, which is final. Default: `"active"`. */
            state?: ("active" | "retired") | null;
            /** @description Each label has 1 to 64 characters after trimming. Duplicates are dropped; at most 32 labels may remain. Default: `[]`. */
            labels?: string[] | null;
            /** @description Default: `null`. */
            owner?: components["schemas"]["NewOwner"] | null;
        };
        /** @description The open streams of a subscription, the last opened first: at most 1 000. */
        OpenConnections: {
            items: components["schemas"]["Connection"][];
            /** @description How many streams are open, also those that are not listed. */
            totalItems: number;
            /** @description How many server processes were asked. */
            podsAsked: number;
            /** @description How many of them answered within a second. If fewer than were asked, streams are missing. */
            podsAnswered: number;
        };
        Overview: {
            /** Format: date-time */
            at: string;
            /** @description The last hour, the oldest point first. Null: no pod knows. Pods keep it in memory: one that starts again begins anew. */
            history: {
                /** @description How long one point lasts. */
                intervalSeconds: number;
                /**
                 * Format: date-time
                 * @description The end of the last point.
                 */
                endsAt: string;
                /** @description Hooks accepted within each point, by all pods. */
                hooksAccepted: (number | null)[];
                /** @description Hooks refused within each point, by all pods. */
                hooksRefused: (number | null)[];
                /** @description Events published within each point. */
                eventsPublished: (number | null)[];
                /** @description Streams open at the end of each point, on all pods. */
                streamsOpen: (number | null)[];
                /** @description How many of them were personal streams, such as those of consoles. */
                personalStreamsOpen: (number | null)[];
            };
            /** @description How long events took from the acceptance of their hook, or of the creation of a widget, until a server process wrote them to its open streams. Estimated from buckets. Null: no process measured an event in this time. */
            eventDelay: {
                /** @description The events of so many seconds count. */
                windowSeconds: number;
                /** @description Half of the events took no longer, in milliseconds. */
                p50Ms: number | null;
                /** @description 95 % of the events took no longer, in milliseconds. */
                p95Ms: number | null;
            };
            /** @description The partitions of the hook queue. Null: the queue did not answer. */
            queues: {
                /** @description The name of the queue in the store. */
                queue: string;
                partition: number;
                /** @description Jobs that wait or are being processed. A job holds one hook or many. */
                jobs: number;
                oldestEnqueuedAt: string | null;
            }[] | null;
            /** @description Since when the oldest change of a widget waits to be published. Null: none waits, or the store did not answer. */
            outboxesWaitingSince: string | null;
            /** @description Integrations with dead deliveries, at most 100, the most first. Null: the store did not answer. */
            deadLetters: {
                integrationId: string;
                integrationName: string;
                /** @description Dead deliveries. Counting stops at 10 000 of all integrations together. */
                count: number;
            }[] | null;
            pods: {
                /** @description Its host name and process id. */
                name: string;
                version: string;
                /** Format: date-time */
                startedAt: string;
                streamsOpen: number;
                /** @description `STREAMS_PER_POD`. 0: no limit. */
                streamsMax: number;
                /** @description How many events of the log the pod has not read. Null: unknown. */
                lagEvents: number | null;
                /** @description Why it is not ready. Empty: it is. */
                notReady: string[];
            }[];
            podsAsked: number;
            podsAnswered: number;
            /** @description The workers that answered. Null: Redis did not pass on the question. Empty on the embedded service, which processes hooks itself. */
            workers: {
                /** @description Its host name and process id. */
                name: string;
                version: string;
                /** Format: date-time */
                startedAt: string;
                /** @description Why it is not ready. Empty: it is. */
                notReady: string[];
            }[] | null;
            workersAsked: number;
            /** @description What is wrong now, the worst first. Empty: nothing. */
            conditions: {
                /** @description Stable, for programs. */
                code: string;
                /**
                 * @description `page`: users notice now. `ticket`: it can wait for working hours.
                 * @enum {string}
                 */
                severity: "page" | "ticket";
                title: string;
                /** @description What was seen, and the next step. */
                detail: string;
                /** @description The page in docs/runbooks that says more. */
                runbook: string | null;
            }[];
        };
        Owner: {
            /** Format: uuid */
            userId: string;
            email: string;
            notify: boolean;
        };
        PagedResultActiveSession: {
            items: components["schemas"]["ActiveSession"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultAuditEvent: {
            items: components["schemas"]["AuditEvent"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultDelivery: {
            items: components["schemas"]["Delivery"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultDeliveryOfWidget: {
            items: components["schemas"]["DeliveryOfWidget"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultHookCounts: {
            items: components["schemas"]["HookCounts"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultIntegration: {
            items: components["schemas"]["Integration"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultProvisionToken: {
            items: components["schemas"]["ProvisionToken"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultQuarantinedText: {
            items: components["schemas"]["QuarantinedText"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultRefusal: {
            items: components["schemas"]["Refusal"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultSubscription: {
            items: components["schemas"]["Subscription"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        PagedResultUser: {
            items: components["schemas"]["User"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
        };
        /** @description One page of widgets, newest first. `hasNext` is always exact. `totalItems` is exact up to 1 000; above that it may be five seconds old. If counting fails or takes longer than about a second, it is the last known total, or, without one, a lower bound. */
        PagedResultWidget: {
            items: components["schemas"]["Widget"][];
            page: number;
            pageSize: number;
            totalItems: number;
            /** @description 0 if there are no items. */
            totalPages: number;
            hasNext: boolean;
            /** @description How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service. */
            unreadableItems?: number;
            /**
             * Format: date-time
             * @description Only widgets created up to this time are listed and counted.
             */
            asOf: string;
            /** @description Send it as `lastEventId` to open a stream that misses no event after this list. Its first events may already be part of the list: compare `version`. Null until the server has read the event log for the first time. */
            streamCursor: string | null;
        };
        PasswordChange: {
            currentPassword: string;
            /** Format: password */
            newPassword: string;
        };
        PersonalStream: {
            token: string;
            /**
             * Format: uri
             * @description The address of the stream. It contains the token.
             */
            url: string;
            /** @description The current end of the event log. Send it as `lastEventId` to start the stream from here. Null until the server has read the event log for the first time. */
            cursor: string | null;
            /**
             * Format: date-time
             * @description When the token expires. It also ends with the session.
             */
            expiresAt: string;
        };
        /** @description Why a request failed (RFC 9457). */
        Problem: {
            /**
             * Format: uri-reference
             * @description The address of a page that explains this kind of problem.
             */
            type: string;
            /** @description The kind of problem, as text for people. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What is wrong with this request, as text for people. */
            detail: string;
            /**
             * Format: uri
             * @description A URN for this occurrence of the problem. It contains the `requestId`.
             */
            instance: string;
            /** @description The kind of problem, as a code for programs. `/problems` explains every code. New codes may be added. */
            code: string;
            /**
             * Format: uuid
             * @description The id of the request, also in the header `X-Request-Id`.
             */
            requestId: string;
            /** @description Present with `invalid-request`, `invalid-idempotency-key` and `hook-not-mappable`: each mistake and its place. */
            errors?: components["schemas"]["Mistake"][];
        };
        /** @description A grant to create widgets without signing in. */
        ProvisionToken: {
            /** Format: uuid */
            id: string;
            name: string;
            permissions: ("widgets:read" | "widgets:create" | "subscriptions:manage" | "integrations:manage" | "tokens:manage" | "users:manage" | "audit:read")[];
            /** @description When it expires; null: never. */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When its current token was issued: at its creation, or at the last rotation.
             */
            tokenIssuedAt: string;
            /** @description Until when the previous token works after a rotation. It may be over. Null: there is no previous token. */
            previousExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The id of the user that created it.
             */
            createdBy: string;
            /** @description When it was last used, accurate to a minute. */
            lastUsedAt: string | null;
        };
        ProvisionTokenChanges: {
            /** @description A name for people to recognise it by: 1 to 200 characters after trimming, without control characters and invisible ones. */
            name?: string;
            expiresAt?: string | null;
            permissions?: "widgets:create"[] | null;
        };
        /** @description A text of the hook queue that could not even become a dead letter. */
        QuarantinedText: {
            /**
             * Format: uuid
             * @description The `quarantineId` in the log.
             */
            id: string;
            /**
             * @description Why it is in quarantine. `unreadable`: no event id or integration id can be read from it. `store-refused`: it is a delivery that the store will not even accept as a dead letter.
             * @enum {string}
             */
            reason: "unreadable" | "store-refused";
            /** @description The job of the hook queue that was being processed. A delivery may come from a job that was processed with it. */
            jobId: string;
            /** @description The integration that the delivery names. Null if it cannot be read. */
            integrationId: string | null;
            /** Format: date-time */
            quarantinedAt: string;
            /** @description The size of the text in UTF-8. */
            sizeBytes: number;
        };
        /** @description A quarantined text with the text itself. */
        QuarantinedTextWithText: {
            /**
             * Format: uuid
             * @description The `quarantineId` in the log.
             */
            id: string;
            /**
             * @description Why it is in quarantine. `unreadable`: no event id or integration id can be read from it. `store-refused`: it is a delivery that the store will not even accept as a dead letter.
             * @enum {string}
             */
            reason: "unreadable" | "store-refused";
            /** @description The job of the hook queue that was being processed. A delivery may come from a job that was processed with it. */
            jobId: string;
            /** @description The integration that the delivery names. Null if it cannot be read. */
            integrationId: string | null;
            /** Format: date-time */
            quarantinedAt: string;
            /** @description The size of the text in UTF-8. */
            sizeBytes: number;
            /** @description The text as the queue held it, or its part of the job as JSON. Anybody who can write to the queue may have written it: escape it before you show it. */
            text: string;
        };
        /** @description What became of one delivery. */
        Redrive: {
            /** Format: uuid */
            eventId: string;
            /**
             * @description `redriven`: it is durably queued. `not-dead`: it is published, discarded, or being processed. `not-found`: there is no such delivery here, or its integration is deleted. `failed`: the queue did not accept it or did not answer in time; it may be queued all the same. Repeat it: however often you redrive a delivery, it takes effect once.
             * @enum {string}
             */
            outcome: "redriven" | "not-dead" | "not-found" | "failed";
        };
        /** @description What became of each delivery. Read the deliveries again later to see whether they are published. */
        RedriveReport: {
            /** @description One for each delivery, in the order asked for. */
            items: components["schemas"]["Redrive"][];
            /** @description There are more dead deliveries in the range: send it as `after`. Null if there are none. */
            next: string | null;
        };
        /** @description Either `eventIds`, or `state` with any of `from`, `to` and `after`. */
        RedriveSelection: {
            /** @description The event ids of the deliveries. One that is named twice counts once. */
            eventIds?: string[];
            /**
             * @description Instead of `eventIds`: the dead deliveries, the latest received first, at most 100.
             * @enum {string}
             */
            state?: "dead";
            /**
             * Format: date-time
             * @description With `state`: only deliveries received at this time or later, in UTC.
             */
            from?: string;
            /**
             * Format: date-time
             * @description With `state`: only deliveries received before this time, in UTC.
             */
            to?: string;
            /**
             * Format: uuid
             * @description With `state`: the `next` of the previous response, to go on where it ended.
             */
            after?: string;
        };
        /** @description A refused hook, with the problem that its sender got. It holds neither the token nor the body. */
        Refusal: {
            /**
             * Format: uuid
             * @description The `requestId` of the problem and of the log line.
             */
            requestId: string;
            /** Format: date-time */
            refusedAt: string;
            /** @description The code of the problem. `/problems` explains every code. */
            code: string;
            status: number;
            /** @description The `detail` of the problem. */
            detail: string;
            /** @description The `errors` of the problem; empty if it had none. */
            errors: components["schemas"]["Mistake"][];
            /** @description The address of the sender: IPv4, or the /64 network of an IPv6 address. Null if the request came through a proxy that the service does not trust. */
            clientAddress: string | null;
            /** @description The `webhook-id` that was sent, cut to 256 characters. Null if there was none. */
            webhookId: string | null;
            /** @description How many more hooks the same server process refused with this code in the same second. They are not listed. */
            unlisted: number;
        };
        RotatedIntegration: {
            /** Format: uuid */
            id: string;
            name: string;
            /**
             * @description Whether hooks must be signed, as Standard Webhooks describes. `source`: as the source says.
             * @enum {string}
             */
            signature: "none" | "standard-webhooks" | "source";
            /** @description Whether hooks with the same content are one event. It applies to hooks that have neither a `webhook-id` nor an `Idempotency-Key`. Among these, hooks with neither `widgetId` nor `payload` are always different events. */
            deduplicateByContent: boolean;
            /** @description The rate limit of this integration, in hooks per second; a hook counts once for each started 4 KiB of its body. Null: the default of the service. */
            rate: number | null;
            /** @description Null: its hooks are as described. */
            source: components["schemas"]["HookSource"] | null;
            /** @description When it expires; null: never. */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When its current token was issued: at its creation, or at the last rotation.
             */
            tokenIssuedAt: string;
            /** @description Until when the previous token works after a rotation. It may be over. Null: there is no previous token. */
            previousExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The id of the user that created it.
             */
            createdBy: string;
            /** @description When a hook of the integration was last accepted, accurate to a minute. */
            lastReceivedAt: string | null;
            /** @description The token. Keep it secret: it is not shown again. */
            token: string;
            /**
             * Format: uri
             * @description The address to use. It contains the token, so keep the whole address secret.
             */
            url: string;
            /** @description Present if hooks must be signed and the service made the secret to sign with. It is not shown again. */
            signingSecret?: string;
            /** @description How hooks to the previous address are signed; null if it no longer works. With `none`, whoever knows that address can post hooks without a signature until `previousExpiresAt`. */
            previousSignature: ("none" | "standard-webhooks" | "source") | null;
        };
        Rotation: {
            /** @description How long the previous token keeps working, in seconds. Default: `300`. */
            overlapSeconds?: number | null;
        } | null;
        Sampling: {
            /** @description For how long from now, in seconds: 60 to 86400. Default: `3600`. */
            keepForSeconds?: number;
        };
        /** @description Who is signed in, and what that user may do. */
        Session: {
            user: components["schemas"]["User"];
            permissions: ("widgets:read" | "widgets:create" | "subscriptions:manage" | "integrations:manage" | "tokens:manage" | "users:manage" | "audit:read")[];
            /** @description The value to send in the header `X-Csrf-Token`. */
            csrfToken: string;
            /**
             * Format: date-time
             * @description When the session expires at the latest. It expires earlier if it is idle for long.
             */
            expiresAt: string;
        };
        /** @description How the sender proves that it sent a request. */
        SignatureScheme: {
            /**
             * @description `token`: the header holds the secret itself. `basic`: HTTP Basic, with secrets of the form `user:password`. `none`: whoever knows the address may post.
             * @enum {string}
             */
            algorithm: "hmac-sha256" | "hmac-sha512" | "ed25519" | "token" | "basic" | "none";
            /** @description The header with the signatures. Required, except with `basic` and `none`. */
            header?: string;
            /** @description What separates the entries of the header. Null: it has one. */
            separator?: string | null;
            /** @description What a signature begins with, such as `sha256=`. Default: `""`. */
            prefix?: string;
            /**
             * @description Default: `"hex"`.
             * @enum {string}
             */
            encoding?: "hex" | "base64";
            /** @description What is signed, with the places {body}, {timestamp}, {id} and {url}. Default: `"{body}"`. */
            signed?: string;
            /** @description Where the time of the signature is. */
            timestamp?: {
                /** @description The name of a header. */
                header?: string;
                /** @description What the entry of the header with the signatures begins with. */
                entry?: string;
                /** @description A JSON Pointer (RFC 6901) into the body. */
                from?: string;
                /**
                 * @description Of the Unix time. Default: `"seconds"`.
                 * @enum {string}
                 */
                unit?: "seconds" | "milliseconds";
            } | null;
            /** @description Default: `300`. */
            toleranceSeconds?: number;
            /** @description The header with the id that is signed. */
            idHeader?: string | null;
            /**
             * @description Default: `"text"`.
             * @enum {string}
             */
            secretEncoding?: "text" | "hex" | "base64" | "whsec";
            /** @description The parameter of the address with which the sender asks, by GET or by POST without a body, whether somebody is there: its text is the answer. Empty: each GET is answered, with an empty text. Null: a GET is not answered. */
            challengeParameter?: string | null;
        };
        SourceSecrets: {
            /** @description What the sender signs with, or sends: several while it changes its secret. No response shows them, and only with the token of the address can they be read. */
            secrets: string[];
        };
        StreamClosing: {
            /**
             * @description `lifetime`: the stream reached its maximum age, or an admin ended it; reconnect and resume. `draining`: the server is shutting down. `slow`: the client read too slowly. `overloaded`: the server has too many open streams. `too-many-connections`: the subscription, or the user of a personal stream, has too many open streams on this server, or opens them too fast. `unavailable`: the service cannot check the token or read the event log now. `resync`: the stream cannot continue where it is; resume it to learn of any gap. `revoked`: the token or the session was revoked. `expired`: the token has expired.
             * @enum {string}
             */
            reason: "lifetime" | "draining" | "slow" | "overloaded" | "too-many-connections" | "unavailable" | "resync" | "revoked" | "expired";
        };
        StreamGap: {
            /** @description The text that the client sent as the position to resume from. */
            requested: string;
            /** @description The stream sends the events after this position instead. */
            resumedFrom: string;
            /**
             * @description `trimmed`: events after the requested position are no longer in the event log. `epoch-changed`: the event log was started again after a loss. `ahead-of-stream`: the requested position is after the end of the log. `malformed`: the requested text is not a position. After `malformed` the stream begins at the end of the log, otherwise at the oldest event that is kept.
             * @enum {string}
             */
            reason: "trimmed" | "epoch-changed" | "ahead-of-stream" | "malformed";
        };
        StreamOpen: {
            /**
             * Format: uuid
             * @description Null for a personal stream.
             */
            subscriptionId: string | null;
            /** @description The stream sends the events after this position. */
            cursor: string;
            /** @description Whether the stream continues at the position that the client requested, without a gap. */
            resumed: boolean;
            /** @description The approximate interval of heartbeat comments, in seconds. */
            heartbeatSeconds: number;
        };
        StreamPosition: Record<string, never>;
        /** @description A grant to stream events. */
        Subscription: {
            /** Format: uuid */
            id: string;
            name: string;
            filter: components["schemas"]["EventFilter"];
            /** @description When it expires; null: never. */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When its current token was issued: at its creation, or at the last rotation.
             */
            tokenIssuedAt: string;
            /** @description Until when the previous token works after a rotation. It may be over. Null: there is no previous token. */
            previousExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The id of the user that created it.
             */
            createdBy: string;
            /** @description When a stream was last opened with it, accurate to a minute. */
            lastConnectedAt: string | null;
        };
        SubscriptionChanges: {
            /** @description A name for people to recognise it by: 1 to 200 characters after trimming, without control characters and invisible ones. */
            name?: string;
            expiresAt?: string | null;
            filter?: components["schemas"]["NewEventFilter"] | null;
        };
        TriedHookSource: {
            /**
             * @description The sender. `custom`: any other; `scheme` then says how it signs.
             * @enum {string}
             */
            preset: "github" | "gitlab" | "stripe" | "shopify" | "slack" | "linear" | "twilio" | "twilio-shared-key" | "standard-webhooks" | "cloudevents" | "custom";
            /** @description Only with the preset `custom`. */
            scheme?: components["schemas"]["SignatureScheme"] | null;
            mapping: components["schemas"]["NewHookMapping"];
            /** @description Null or left out: the signature is not verified. */
            secrets?: string[] | null;
        };
        /** @description A person who may sign in, unless `disabled`. */
        User: {
            /** Format: uuid */
            id: string;
            email: string;
            /** @description A name for people; null: none. */
            name: string | null;
            /** @enum {string} */
            role: "viewer" | "editor" | "admin";
            disabled: boolean;
            /** @description An admin has set the password: until the user changes it, everything else gets 403. */
            mustChangePassword: boolean;
            /**
             * Format: date-time
             * @description When the password ends that an admin has set, unless the user signs in before: 7 days later. Left out: it has no end, because the user has chosen it or has none.
             */
            passwordExpiresAt?: string;
            /** @description Who the user is at the identity provider. Null for a user who signs in with a password. */
            identity: components["schemas"]["Identity"] | null;
            /** Format: date-time */
            createdAt: string;
            lastSignInAt: string | null;
        };
        UserChanges: {
            /** @description Null removes the name. */
            name?: string | null;
            role?: ("viewer" | "editor" | "admin") | null;
            disabled?: boolean | null;
            password?: string | null;
        };
        /** @description A widget. Every member is always present. */
        Widget: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            state: "active" | "retired";
            labels: string[];
            owner: components["schemas"]["Owner"] | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description The latest of `createdAt` and the times at which the service received hooks for the widget.
             */
            updatedAt: string;
            /** @description When the widget was retired; null while it is active. */
            retiredAt: string | null;
            /** @description When the latest event reported by a hook happened; null before the first hook. */
            lastEventAt: string | null;
            /** @description 1 when created, plus 1 for every distinct hook applied to the widget. */
            version: number;
        };
        /** @description One CloudEvents 1.0 object in the JSON event format. */
        WidgetEvent: {
            /** @constant */
            specversion: "1.0";
            /**
             * Format: uuid
             * @description The same id whenever the event is sent again. Use it to drop duplicates.
             */
            id: string;
            /**
             * Format: uri-reference
             * @description `/api/v1/widgets` for a widget created through this API; for a hook, the integration that it was posted to: `/api/v1/integrations/{id}`.
             */
            source: string;
            /** @enum {string} */
            type: "widget.created" | "widget.updated" | "widget.retired";
            /**
             * Format: uuid
             * @description The id of the widget; left out if the hook had no `widgetId`.
             */
            subject?: string;
            /**
             * Format: date-time
             * @description When the event happened: for a hook, as the sender wrote it; for a widget created through this API, its `createdAt`.
             */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            data: {
                /**
                 * @description `api`: the widget was created through this API. `hook`: the event came from a hook.
                 * @enum {string}
                 */
                origin: "api" | "hook";
                /**
                 * Format: date-time
                 * @description When the service accepted the event.
                 */
                receivedAt: string;
                /** @description Whether the event happened before the `lastEventAt` that the widget had when the event was applied. */
                late: boolean;
                /** @description Whether the event changed the state of the widget. True for `origin: "api"`. */
                stateChanged: boolean;
                /** @description Null if the hook does not name a known widget. */
                widget: components["schemas"]["WidgetSnapshot"] | null;
                /** @description The content attached by the sender, as it was sent; null if there was none. */
                payload: {
                    [key: string]: unknown;
                } | null;
            };
        };
        /** @description The widget as it was at `version`, without the e-mail address of its owner. */
        WidgetSnapshot: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            state: "active" | "retired";
            labels: string[];
            owner: {
                /** Format: uuid */
                userId: string;
                notify: boolean;
            } | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            retiredAt: string | null;
            lastEventAt: string | null;
            version: number;
        };
    };
    responses: {
        /** @description - `invalid-request`: The request is not valid; "errors" names what is wrong. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `not-authenticated`: Sign in first.
         *     - `password-change-required`: An admin has set your password. Change it first.
         *     - `permission-denied`: The caller does not have the permission that this request needs.
         */
        NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `rate-limited`: Wait as long as Retry-After says before the next request. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["Optional-RateLimit"];
                "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `unavailable`: The service cannot do this right now. Try again shortly. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `not-found`: There is nothing at this address. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `unavailable`: The service cannot do this right now. Try again shortly.
         *     - `integration-backlog-full`: Too many hooks of this integration wait to be processed.
         */
        UnavailableOrIntegrationBacklogFull: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `invalid-request`: The request is not valid; "errors" names what is wrong.
         *     - `invalid-json`: The body is not valid JSON.
         *     - `unsupported-media-type`: The body must be sent as application/json, without a content encoding.
         *     - `payload-too-large`: The body is too large.
         */
        InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `invalid-json`: The body is not valid JSON.
         *     - `unsupported-media-type`: The body must be sent as application/json, without a content encoding.
         *     - `payload-too-large`: The body is too large.
         */
        InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `not-authenticated`: Sign in first.
         *     - `csrf-token-invalid`: The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.
         */
        NotAuthenticatedOrCsrfTokenInvalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `invalid-request`: The request is not valid; "errors" names what is wrong.
         *     - `invalid-json`: The body is not valid JSON.
         *     - `unsupported-media-type`: The body must be sent as application/json, without a content encoding.
         *     - `payload-too-large`: The body is too large.
         *     - `weak-password`: The new password is too easy to guess.
         */
        InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLargeOrWeakPassword: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `not-authenticated`: Sign in first.
         *     - `csrf-token-invalid`: The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.
         *     - `password-change-required`: An admin has set your password. Change it first.
         *     - `permission-denied`: The caller does not have the permission that this request needs.
         */
        NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `delivery-not-dead`: Only a dead delivery can be redriven or discarded. */
        DeliveryNotDead: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description Makes the request safe to repeat. 1 to 255 visible ASCII characters, sent once. One pair of surrounding double quotes is dropped. */
        "Idempotency-Key": string;
        /** @description The id of the hook (Standard Webhooks). Repeat a hook with the same id: as long as the service keeps the delivery (7 days by default), all hooks of an integration with one id are one event. An empty id counts as none. Required if the integration is signed. */
        "webhook-id": string;
        /** @description When the hook was sent, in seconds since 1970. It must be within five minutes of the time of the service. Required if the integration is signed, otherwise ignored. */
        "webhook-timestamp": string;
        /** @description Space-separated signatures. Each is `v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; one match is enough. Required if the integration is signed, otherwise ignored. */
        "webhook-signature": string;
        /** @description Where to resume: the `id` of the last event that the client received, or `earliest` for all events that are kept. A browser sends this header itself when it reconnects. */
        "Last-Event-ID": string;
        /** @description The same as the header `Last-Event-ID`, for clients that cannot set a header. If both are sent, the header counts. Send the `streamCursor` of a list to miss no event after it. */
        lastEventId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of this request in the logs of the service. Every response has one. */
        "X-Request-Id": string;
        /** @description With 201, the address of the created resource, relative to the address of the request. With 303, where the browser goes next. */
        Location: string;
        /** @description The pages `first`, `prev`, `next` and `last` (RFC 8288), as references relative to this page. `prev` and `next` are left out if there is no such page. */
        Link: string;
        /** @description Present if the key was used before. The widget was created by the first request, and the body is that of the first response. */
        "Optional-Idempotent-Replayed": "true";
        /** @description The id of the event. A hook that the service recognises as a repetition gets the same id. */
        "Optional-Webhook-Event-Id": string;
        /** @description The session cookie `service_console`: signing in and changing the password set a new one, signing out clears it. The device cookie, by which the limit of failed sign-ins recognises the browser: signing in and changing the password set it. Each start of a sign-in through the identity provider sets another cookie instead, `service_sign_in_…`, for ten minutes; the end of that sign-in clears it. With secure cookies, the names of these begin with `__Host-`: `__Host-service_device`, `__Host-service_sign_in_…`. */
        "Set-Cookie": string;
        /** @description The session cookie `service_console`: signing in and changing the password set a new one, signing out clears it. The device cookie, by which the limit of failed sign-ins recognises the browser: signing in and changing the password set it. Each start of a sign-in through the identity provider sets another cookie instead, `service_sign_in_…`, for ten minutes; the end of that sign-in clears it. With secure cookies, the names of these begin with `__Host-`: `__Host-service_device`, `__Host-service_sign_in_…`. */
        "Optional-Set-Cookie": string;
        /** @description Present with `not-authenticated`. */
        "Optional-WWW-Authenticate": string;
        /** @description How many whole seconds to wait before the next attempt. */
        "Retry-After": string;
        /** @description How many whole seconds to wait before the next attempt. */
        "Optional-Retry-After": string;
        /** @description The rest of the limit: `r` requests remain, and the full limit is available again in `t` seconds (draft-ietf-httpapi-ratelimit-headers-10). */
        "Optional-RateLimit": string;
        /** @description The limit: `q` requests at once, available again after `w` seconds. */
        "Optional-RateLimit-Policy": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "example.widgets.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only widgets in this state. */
                state?: "active" | "retired";
                /** @description Only widgets created up to this time, in UTC. If you leave it out, the service chooses a time and returns it. Send that time with the requests for further pages (as the `Link` header does), so that new widgets do not shift the pages. */
                asOf?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of widgets, newest first. `hasNext` is always exact. `totalItems` is exact up to 1 000; above that it may be five seconds old. If counting fails or takes longer than about a second, it is the last known total, or, without one, a lower bound. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultWidget"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.widgets.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat. 1 to 255 visible ASCII characters, sent once. One pair of surrounding double quotes is dropped. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWidget"];
            };
        };
        responses: {
            /** @description The created widget. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Optional-Idempotent-Replayed"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Widget"];
                };
            };
            /**
             * @description - `invalid-request`: The request is not valid; "errors" names what is wrong.
             *     - `invalid-json`: The body is not valid JSON.
             *     - `unsupported-media-type`: The body must be sent as application/json, without a content encoding.
             *     - `payload-too-large`: The body is too large.
             *     - `invalid-idempotency-key`: Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description - `not-authenticated`: Sign in first.
             *     - `csrf-token-invalid`: The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.
             *     - `password-change-required`: An admin has set your password. Change it first.
             *     - `permission-denied`: The caller does not have the permission that this request needs.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `idempotency-key-reused`: This idempotency key was used before, with another body. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.widgets.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A widget. Every member is always present. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Widget"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.events.stream": {
        parameters: {
            query?: {
                /** @description The same as the header `Last-Event-ID`, for clients that cannot set a header. If both are sent, the header counts. Send the `streamCursor` of a list to miss no event after it. */
                lastEventId?: components["parameters"]["lastEventId"];
            };
            header?: {
                /** @description Where to resume: the `id` of the last event that the client received, or `earliest` for all events that are kept. A browser sends this header itself when it reconnects. */
                "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
            };
            path: {
                /** @description The secret token. It identifies the caller: no session is needed. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An open stream of server-sent events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description - `stream-not-found`: There is no stream at this address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "example.events.receive": {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the hook (Standard Webhooks). Repeat a hook with the same id: as long as the service keeps the delivery (7 days by default), all hooks of an integration with one id are one event. An empty id counts as none. Required if the integration is signed. */
                "webhook-id"?: components["parameters"]["webhook-id"];
                /** @description When the hook was sent, in seconds since 1970. It must be within five minutes of the time of the service. Required if the integration is signed, otherwise ignored. */
                "webhook-timestamp"?: components["parameters"]["webhook-timestamp"];
                /** @description Space-separated signatures. Each is `v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; one match is enough. Required if the integration is signed, otherwise ignored. */
                "webhook-signature"?: components["parameters"]["webhook-signature"];
                /** @description Makes the request safe to repeat. 1 to 255 visible ASCII characters, sent once. One pair of surrounding double quotes is dropped. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The secret token. It identifies the caller: no session is needed. */
                token: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookEvent"];
            };
        };
        responses: {
            /** @description The hook was accepted. Without `Webhook-Event-Id`: the `source` of the integration ignores the request. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Webhook-Event-Id": components["headers"]["Optional-Webhook-Event-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description - `invalid-hook-token`: This address accepts no hooks.
             *     - `invalid-request`: The request is not valid; "errors" names what is wrong.
             *     - `invalid-json`: The body is not valid JSON.
             *     - `unsupported-media-type`: The body must be sent as application/json, without a content encoding.
             *     - `payload-too-large`: The body is too large.
             *     - `invalid-idempotency-key`: Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters.
             *     - `invalid-hook-signature`: The signature headers are missing, too old or do not match the body.
             *     - `hook-not-mappable`: The mapping of this integration does not make a hook of this request.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrIntegrationBacklogFull"];
        };
    };
    "example.session.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who is signed in, and what that user may do. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description - `not-authenticated`: Sign in first. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.session.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4096 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Credentials"];
            };
        };
        responses: {
            /** @description Who is signed in, and what that user may do. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            /**
             * @description - `csrf-token-invalid`: The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.
             *     - `invalid-credentials`: E-mail or password is wrong.
             *     - `password-sign-in-disabled`: This service has no sign-in by password.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.session.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.session.startOidc": {
        parameters: {
            query?: {
                /** @description A path of this service to which the browser returns after the sign-in. The default is its start page. */
                returnTo?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser goes on to the identity provider, or after a failure to the sign-in page. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    "Retry-After": components["headers"]["Optional-Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            /** @description - `identity-provider-unavailable`: The identity provider does not answer as it should. Try again shortly. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "example.session.finishOidc": {
        parameters: {
            query?: {
                /** @description The authorization code. It counts once. */
                code?: string;
                /** @description The state that the service sent to the provider. */
                state?: string;
                /** @description The issuer (RFC 9207). */
                iss?: string;
                /** @description Why the provider did not sign the person in. */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in. The browser returns to where the sign-in was started, or after a failure to the sign-in page. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    "Retry-After": components["headers"]["Optional-Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description - `invalid-request`: The request is not valid; "errors" names what is wrong. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description - `sign-in-not-verified`: The sign-in could not be verified. Start it again.
             *     - `sign-in-refused`: The identity provider knows you, but you may not sign in to this service.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `not-found`: There is nothing at this address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `last-admin`: This would leave the service without an admin who can sign in. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `rate-limited`: Wait as long as Retry-After says before the next request. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description - `identity-provider-unavailable`: The identity provider does not answer as it should. Try again shortly.
             *     - `unavailable`: The service cannot do this right now. Try again shortly.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "example.sessions.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of sessions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultActiveSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            /**
             * @description - `not-authenticated`: Sign in first.
             *     - `password-change-required`: An admin has set your password. Change it first.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.sessions.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out everywhere. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalid"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.session.changePassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4096 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description The password is changed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLargeOrWeakPassword"];
            /**
             * @description - `not-authenticated`: Sign in first.
             *     - `csrf-token-invalid`: The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.
             *     - `invalid-credentials`: E-mail or password is wrong.
             *     - `password-sign-in-disabled`: This service has no sign-in by password.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `user-has-no-password`: This user signs in through the identity provider and has no password. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.sessions.end": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Optional-Set-Cookie"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            /**
             * @description - `not-authenticated`: Sign in first.
             *     - `csrf-token-invalid`: The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.
             *     - `password-change-required`: An admin has set your password. Change it first.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.session.createStream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalStream"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of users. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultUser"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description A person who may sign in, unless `disabled`. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLargeOrWeakPassword"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            /** @description - `email-in-use`: Another user has this e-mail address. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who may sign in, unless `disabled`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description A person who may sign in, unless `disabled`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLargeOrWeakPassword"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            /**
             * @description - `last-admin`: This would leave the service without an admin who can sign in.
             *     - `user-has-no-password`: This user signs in through the identity provider and has no password.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.unlock": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user can sign in. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.listSessions": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
            };
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of sessions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultActiveSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.endSessions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions have ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.users.endSession": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
                /** @description The id of the session, a UUID. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only those that were created before this time, in UTC. */
                createdBefore?: string;
                /** @description Only those that expire before this time, in UTC, or have expired already. */
                expiresBefore?: string;
                /** @description Only those whose name contains this text. Letters from A to Z match in either case, all others exactly. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of subscriptions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultSubscription"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSubscription"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedSubscription"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A grant to stream events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionChanges"];
            };
        };
        responses: {
            /** @description A grant to stream events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedSubscription"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.endPreviousToken": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no previous token. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.listConnections": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The open streams of a subscription, the last opened first: at most 1 000. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenConnections"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.subscriptions.endConnection": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
                /** @description The id of the stream, a UUID. */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only those that were created before this time, in UTC. */
                createdBefore?: string;
                /** @description Only those that expire before this time, in UTC, or have expired already. */
                expiresBefore?: string;
                /** @description Only those whose name contains this text. Letters from A to Z match in either case, all others exactly. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of integrations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultIntegration"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewIntegration"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedIntegration"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A grant to post hooks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationChanges"];
            };
        };
        responses: {
            /** @description A grant to post hooks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IntegrationRotation"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedIntegration"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.endPreviousToken": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no previous token. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.changeMapping": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewHookMapping"];
            };
        };
        responses: {
            /** @description A grant to post hooks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.replaceSecrets": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceSecrets"];
            };
        };
        responses: {
            /** @description A grant to post hooks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.previewSource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 196608 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSourcePreview"];
            };
        };
        responses: {
            /** @description What the service would do with a request. Nothing is stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookPreview"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.integrations.preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 196608 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewHookPreview"];
            };
        };
        responses: {
            /** @description What the service would do with a request. Nothing is stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookPreview"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.samples.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Refused requests of the sender of an integration. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookSamples"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.samples.keep": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Sampling"];
            };
        };
        responses: {
            /** @description Refused requests of the sender of an integration. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookSamples"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.samples.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All are deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.provisionTokens.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only those that were created before this time, in UTC. */
                createdBefore?: string;
                /** @description Only those that expire before this time, in UTC, or have expired already. */
                expiresBefore?: string;
                /** @description Only those whose name contains this text. Letters from A to Z match in either case, all others exactly. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of provision tokens. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultProvisionToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.provisionTokens.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProvisionToken"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedProvisionToken"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.provisionTokens.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A grant to create widgets without signing in. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvisionToken"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.provisionTokens.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.provisionTokens.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProvisionTokenChanges"];
            };
        };
        responses: {
            /** @description A grant to create widgets without signing in. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvisionToken"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.provisionTokens.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedProvisionToken"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.provisionTokens.endPreviousToken": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no previous token. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.deliveries.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only deliveries in this state. */
                state?: "received" | "published" | "dead" | "discarded";
                /** @description Only deliveries received at this time or later, in UTC. */
                from?: string;
                /** @description Only deliveries received before this time, in UTC. Send it, so that new ones do not shift further pages. */
                to?: string;
                /** @description Only the delivery of the hook that was sent with this `webhook-id`: at most one. With a `source`: of the hook for which its mapping read this `id`. */
                webhookId?: string;
            };
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultDelivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.deliveries.listAll": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only deliveries in this state. */
                state?: "received" | "published" | "dead" | "discarded";
                /** @description Only deliveries received at this time or later, in UTC. */
                from?: string;
                /** @description Only deliveries received before this time, in UTC. Send it, so that new ones do not shift further pages. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultDelivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.widgets.listDeliveries": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only deliveries received at this time or later, in UTC. */
                from?: string;
                /** @description Only deliveries received before this time, in UTC. Send it, so that new ones do not shift further pages. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultDeliveryOfWidget"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.deliveries.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
                /** @description The id of the event, a UUID. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of an accepted hook, with its payload and its event. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithPayload"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.deliveries.discard": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
                /** @description The id of the event, a UUID. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payload is erased. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DeliveryNotDead"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.refusals.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only refusals of hooks with this `webhook-id`. A refusal stores its first 256 characters, so only these count. */
                webhookId?: string;
            };
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of refusals. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultRefusal"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.hookCounts.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of integrations with their counts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultHookCounts"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.deliveries.redrive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
                /** @description The id of the event, a UUID. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is durably queued. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DeliveryNotDead"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrIntegrationBacklogFull"];
        };
    };
    "example.deliveries.redriveMany": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedriveSelection"];
            };
        };
        responses: {
            /** @description What became of each delivery. Read the deliveries again later to see whether they are published. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedriveReport"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrIntegrationBacklogFull"];
        };
    };
    "example.deliveries.redriveAll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedriveSelection"];
            };
        };
        responses: {
            /** @description What became of each delivery. Read the deliveries again later to see whether they are published. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedriveReport"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrIntegrationBacklogFull"];
        };
    };
    "example.quarantine.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of texts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultQuarantinedText"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.quarantine.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A quarantined text with the text itself. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuarantinedTextWithText"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.quarantine.discard": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidJsonOrUnsupportedMediaTypeOrPayloadTooLarge"];
            403: components["responses"]["NotAuthenticatedOrCsrfTokenInvalidOrPasswordChangeRequiredOrPermissionDenied"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.auditEvents.list": {
        parameters: {
            query?: {
                /** @description The page number, from 1. A page past the end has no items. Default: `1`. */
                page?: number;
                /** @description Items per page. More than 200 is an error. Default: `50`. */
                pageSize?: number;
                /** @description Only events of this user or provision token. */
                actorId?: string;
                /** @description Only events with this action. */
                action?: "session.created" | "session.failed" | "session.ended" | "personal-stream.issued" | "password.changed" | "user.created" | "user.changed" | "user.unlocked" | "subscription.created" | "subscription.changed" | "subscription.token-rotated" | "subscription.revoked" | "integration.created" | "integration.changed" | "integration.token-rotated" | "integration.mapping-changed" | "integration.secrets-replaced" | "integration.samples-kept" | "integration.samples-deleted" | "integration.revoked" | "provision-token.created" | "provision-token.changed" | "provision-token.token-rotated" | "provision-token.revoked" | "delivery.redriven" | "delivery.discarded" | "quarantined-text.discarded" | "widget.created" | "stream.ended" | "access.refused";
                /** @description Only events about the resource with this id. */
                targetId?: string;
                /** @description Only events at this time or later, in UTC. */
                from?: string;
                /** @description Only events before this time, in UTC. Send it, so that new events do not shift further pages. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of audit events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagedResultAuditEvent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    "example.overview.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the service. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["Optional-RateLimit"];
                    "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            403: components["responses"]["NotAuthenticatedOrPasswordChangeRequiredOrPermissionDenied"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
}
