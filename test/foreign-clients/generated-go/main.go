// Uses the client that oapi-codegen generates: signs in, issues a provision token and a subscription, opens a stream,
// creates and lists widgets, and decodes the event of the stream.
//
// Arguments: the OpenAPI document, the address of the service, the e-mail and password of an admin. Prints one line of
// JSON: how many patterns of the document RE2 compiled, the created widget, the names in the list, and the event.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"example.com/generated-client/widgets"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	document, baseURL, email, password := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	text, err := os.ReadFile(document)
	check(err)
	var parsed any
	check(json.Unmarshal(text, &parsed))

	visitor, err := widgets.NewClientWithResponses(baseURL)
	check(err)
	session, err := visitor.ExampleSessionCreateWithResponse(ctx, widgets.Credentials{Email: email, Password: password})
	check(err)
	require(session.JSON200 != nil, session.Status())
	signedIn, err := widgets.NewClientWithResponses(baseURL, widgets.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			for _, cookie := range session.HTTPResponse.Cookies() {
				request.AddCookie(cookie)
			}
			request.Header.Set("X-Csrf-Token", session.JSON200.CsrfToken)
			return nil
		}))
	check(err)

	token, err := signedIn.ExampleProvisionTokensCreateWithResponse(ctx, widgets.NewProvisionToken{Name: "a script"})
	check(err)
	require(token.JSON201 != nil, token.Status())
	script, err := widgets.NewClientWithResponses(baseURL, widgets.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token.JSON201.Token)
			return nil
		}))
	check(err)

	subscription, err := signedIn.ExampleSubscriptionsCreateWithResponse(ctx, widgets.NewSubscription{Name: "a screen"})
	check(err)
	require(subscription.JSON201 != nil, subscription.Status())
	stream, err := visitor.ExampleEventsStream(ctx, subscription.JSON201.Token, nil)
	check(err)
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	var open widgets.StreamOpen
	check(json.Unmarshal(readData(lines, "stream.open"), &open))

	key := "one"
	created, err := script.ExampleWidgetsCreateWithResponse(ctx,
		&widgets.ExampleWidgetsCreateParams{IdempotencyKey: &key},
		widgets.NewWidget{Name: "bell", Labels: &[]string{"hall"}})
	check(err)
	require(created.JSON201 != nil, created.Status())
	var event widgets.WidgetEvent
	check(json.Unmarshal(readData(lines, "widget.created"), &event))

	pageSize := 10
	page, err := signedIn.ExampleWidgetsListWithResponse(ctx, &widgets.ExampleWidgetsListParams{PageSize: &pageSize})
	check(err)
	require(page.JSON200 != nil, page.Status())
	names := []string{}
	for _, widget := range page.JSON200.Items {
		names = append(names, widget.Name)
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"patterns": countPatterns(parsed), "created": created.JSON201, "listed": names, "event": event,
	}))
}

// readData returns the data of the next event with this name.
func readData(lines *bufio.Scanner, name string) []byte {
	event := ""
	for lines.Scan() {
		if value, found := strings.CutPrefix(lines.Text(), "event: "); found {
			event = value
		}
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found && event == name {
			return []byte(data)
		}
	}
	log.Fatalf("the stream ended before %s: %v", name, lines.Err())
	return nil
}

// countPatterns compiles each pattern of the document with RE2, the engine of Go.
func countPatterns(part any) int {
	count := 0
	switch value := part.(type) {
	case map[string]any:
		if pattern, isText := value["pattern"].(string); isText {
			regexp.MustCompile(pattern)
			count++
		}
		for _, member := range value {
			count += countPatterns(member)
		}
	case []any:
		for _, item := range value {
			count += countPatterns(item)
		}
	}
	return count
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func require(isMet bool, status string) {
	if !isMet {
		log.Fatalf("unexpected response: %s", status)
	}
}
