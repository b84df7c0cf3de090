# Policies, restrictions, authorities and keys of a Sallyport account, by the provider of the API family. See docs/terraform.md.

terraform {
  required_providers {
    ngrok = {
      source = "ngrok/ngrok"
      # Earlier ones import nothing, and never send `enforced = false`.
      version = ">= 0.8.0"
    }
  }
}

# Or NGROK_API_BASE_URL and NGROK_API_KEY. A path in the URL would be dropped. The key is not managed here: it could delete itself.
provider "ngrok" {
  api_base_url = var.url
  api_key      = var.api_key
}

variable "url" {
  type        = string
  description = "Where Sallyport answers, without a path."
}

variable "api_key" {
  type      = string
  sensitive = true
}

resource "ngrok_ip_policy" "office" {
  description = "Offices"
  metadata    = "{\"managed-by\":\"terraform\"}"
}

# A range needs its mask and its lowest address: 203.0.113.7/32, not 203.0.113.7; 10.0.0.0/8, not 10.1.2.3/8.
resource "ngrok_ip_policy_rule" "berlin" {
  ip_policy_id = ngrok_ip_policy.office.id
  cidr         = "203.0.113.0/24"
  action       = "allow"
  description  = "Berlin"
}

resource "ngrok_ip_policy_rule" "guests" {
  ip_policy_id = ngrok_ip_policy.office.id
  cidr         = "203.0.113.128/25"
  action       = "deny"
  description  = "Guests of Berlin"
}

# Without `depends_on`, Terraform may make the restriction before the rules, or delete the rules before it: both would lock out the
# client, and are refused with LOCKOUT. `enforced` is true unless it says otherwise.
resource "ngrok_ip_restriction" "applications" {
  description   = "Applications"
  type          = "endpoints"
  enforced      = true
  ip_policy_ids = [ngrok_ip_policy.office.id]
  depends_on    = [ngrok_ip_policy_rule.berlin, ngrok_ip_policy_rule.guests]
}

# `private_key_type` must be given: without it, the authority is made and Terraform then reports an error. It is never read back, so an
# imported authority would be replaced because of it, and every host and client would need another one.
resource "ngrok_ssh_certificate_authority" "hosts" {
  description      = "Hosts"
  private_key_type = "ecdsa"
  elliptic_curve   = "P-256"

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [private_key_type, elliptic_curve, key_size]
  }
}

# The token is in Terraform's state, readable by whoever reads that. Such a key may do what the key of the provider may.
resource "ngrok_api_key" "deployment" {
  description = "Deployment"
}
