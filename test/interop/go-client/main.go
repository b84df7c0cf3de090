// The life of policies, rules, restrictions, authorities and keys through the Go client of the API family. Run by `../go-client.test.ts`, which
// gives it the URL and the key. It prints what came of each step.
package main

import (
	"context"
	"fmt"
	"os"

	ngrok "github.com/ngrok/ngrok-api-go/v8"
	"github.com/ngrok/ngrok-api-go/v8/api_keys"
	"github.com/ngrok/ngrok-api-go/v8/ip_policies"
	"github.com/ngrok/ngrok-api-go/v8/ip_policy_rules"
	"github.com/ngrok/ngrok-api-go/v8/ip_restrictions"
	"github.com/ngrok/ngrok-api-go/v8/ssh_certificate_authorities"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	return value
}

func done(err error) { must(true, err) }

func main() {
	ctx := context.Background()
	config := ngrok.NewClientConfig(os.Getenv("API_KEY"), ngrok.WithBaseURL(os.Getenv("URL")))
	policies, rules := ip_policies.NewClient(config), ip_policy_rules.NewClient(config)
	restrictions, keys := ip_restrictions.NewClient(config), api_keys.NewClient(config)
	authorities := ssh_certificate_authorities.NewClient(config)

	policy := must(policies.Create(ctx, &ngrok.IPPolicyCreate{Description: "Offices"}))
	policy = must(policies.Update(ctx, &ngrok.IPPolicyUpdate{ID: policy.ID, Metadata: ngrok.String("go")}))
	fmt.Println("policy:", policy.Description, policy.Metadata)

	for _, cidr := range []string{"127.0.0.0/8", "192.0.2.0/24", " 198.51.100.0/24 "} {
		must(rules.Create(ctx, &ngrok.IPPolicyRuleCreate{IPPolicyID: policy.ID, CIDR: cidr, Action: ngrok.String("allow")}))
	}
	size := "2"
	list := rules.List(&ngrok.FilteredPaging{Limit: &size})
	for list.Next(ctx) {
		fmt.Println("rule:", list.Item().CIDR, list.Item().Action, list.Item().IPPolicy.ID == policy.ID)
	}
	done(list.Err())

	restriction := must(restrictions.Create(ctx, &ngrok.IPRestrictionCreate{
		Type: "api", Enforced: true, IPPolicyIDs: []string{policy.ID},
	}))
	fmt.Println("restriction:", restriction.Type, restriction.Enforced, len(restriction.IPPolicies))
	fmt.Println("lockout:", policies.Delete(ctx, policy.ID) != nil)
	done(restrictions.Delete(ctx, restriction.ID))

	authority := must(authorities.Create(ctx, &ngrok.SSHCertificateAuthorityCreate{PrivateKeyType: "ecdsa", EllipticCurve: "P-256"}))
	fmt.Println("authority:", authority.KeyType)
	done(authorities.Delete(ctx, authority.ID))

	key := must(keys.Create(ctx, &ngrok.APIKeyCreate{Description: "Deployment"}))
	fmt.Println("key:", key.Token != nil, must(keys.Get(ctx, key.ID)).Token == nil)
	done(keys.Delete(ctx, key.ID))

	done(policies.Delete(ctx, policy.ID))
	_, err := policies.Get(ctx, policy.ID)
	fmt.Println("gone:", ngrok.IsNotFound(err))
}
