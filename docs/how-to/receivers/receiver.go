// A receiver of webhooks with the standard library alone. The part to take along is verify; the rest shows where it stands.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// How far the sender's clock and ours may be apart; an older delivery that somebody kept is refused.
	tolerance   = 300 * time.Second
	largestBody = 1 << 20
	// Bytes of a secret: with fewer, or none, anybody could sign.
	least = 24
)

var (
	errHeaders   = errors.New("headers are missing")
	errTime      = errors.New("too old, or a clock is wrong")
	errSignature = errors.New("the signature is wrong")
	errSecret    = errors.New("a secret is not whole")
)

// verify says why a delivery is not to be believed, or nil. The secrets stand as they were shown, prefix included; there are two
// of them while one is being rotated. The body is the bytes as they came: parsed and written again they are others.
func verify(scheme string, secrets []string, header http.Header, body []byte, now time.Time) error {
	if scheme == "standard" {
		return verifyStandard(secrets, header, body, now)
	}
	return verifyBody(secrets, header, body)
}

// Standard Webhooks: id, time and body are signed. webhook-signature lists one signature for each secret of the sender.
func verifyStandard(secrets []string, header http.Header, body []byte, now time.Time) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil {
		return errHeaders
	}
	if apart := now.Sub(time.Unix(seconds, 0)); apart > tolerance || apart < -tolerance {
		return errTime
	}
	var expected []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return err
		}
		if len(key) < least {
			return errSecret
		}
		expected = append(expected, "v1,"+base64.StdEncoding.EncodeToString(sign(key, []byte(id+"."+timestamp+"."), body)))
	}
	return anyEqual(strings.Split(header.Get("webhook-signature"), " "), expected)
}

// GitHub's way: the body alone is signed, so neither id nor time is certain. The second header is there during a rotation.
func verifyBody(secrets []string, header http.Header, body []byte) error {
	var expected []string
	for _, secret := range secrets {
		expected = append(expected, "sha256="+hex.EncodeToString(sign([]byte(secret), body)))
	}
	return anyEqual([]string{header.Get("x-webhook-signature"), header.Get("x-webhook-signature-previous")}, expected)
}

func sign(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// Every pair in constant time: how long it takes says nothing of how much was right.
func anyEqual(given, expected []string) error {
	found := false
	for _, one := range given {
		for _, other := range expected {
			found = hmac.Equal([]byte(one), []byte(other)) || found
		}
	}
	if !found {
		return errSignature
	}
	return nil
}

// Ids of deliveries that took effect. Here in memory; in earnest a row with a unique key, written in the transaction of the effect.
var (
	handled    = map[string]bool{}
	oneAtATime sync.Mutex
)

func handle(id string, body []byte) (string, error) {
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	if handled[id] {
		return "repeated", nil
	}
	if !json.Valid(body) { // your effect; it fails, the answer is 500, and the delivery comes again
		return "", errors.New("not JSON")
	}
	handled[id] = true
	return "handled", nil
}

func receive(response http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		return // HEAD, when the subscription is made: is somebody there?
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, largestBody))
	if err != nil {
		response.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	scheme, idHeader := os.Getenv("WEBHOOK_SCHEME"), "x-webhook-id"
	if scheme == "" || scheme == "standard" {
		scheme, idHeader = "standard", "webhook-id" // the same text, but only this one is signed
	}
	id, outcome := request.Header.Get(idHeader), ""
	refusal := verify(scheme, strings.Fields(os.Getenv("WEBHOOK_SECRETS")), request.Header, body, time.Now())
	if refusal != nil {
		response.WriteHeader(http.StatusUnauthorized)
		outcome = refusal.Error()
	} else if outcome, err = handle(id, body); err != nil {
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	said, _ := json.Marshal(map[string]string{"id": id, "outcome": outcome})
	fmt.Println(string(said))
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Println("listening")
	panic(http.Serve(listener, http.HandlerFunc(receive)))
}
