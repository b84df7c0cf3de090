// Recorded from a service by test/guards/openapi.test.ts.
import type { Examples } from './types.ts';

export const recordedExamples: Examples = {
  "operations": {
    "CreateApiKey": {
      "path": {},
      "request": {
        "description": "dashboard",
        "scopes": [
          "ip-policies:read",
          "ssh:write"
        ],
        "expires_at": "2027-05-31T00:00:00Z"
      },
      "response": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma",
        "uri": "https://sallyport.example.com/api_keys/ak_01m7xc4kkmepqbszdmczy3hnma",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "dashboard",
        "metadata": "",
        "scopes": [
          "ip-policies:read",
          "ssh:write"
        ],
        "expires_at": "2027-05-31T00:00:00Z",
        "pass_groups": [],
        "pass_at": null,
        "token": "sallyport_A_ZBYcO_U_E-emlNK76XSP42M-Iu3t2mfUwfL30buV4ff13eb77"
      }
    },
    "GetApiKey": {
      "path": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma"
      },
      "response": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma",
        "uri": "https://sallyport.example.com/api_keys/ak_01m7xc4kkmepqbszdmczy3hnma",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "dashboard",
        "metadata": "",
        "scopes": [
          "ip-policies:read",
          "ssh:write"
        ],
        "expires_at": "2027-05-31T00:00:00Z",
        "pass_groups": [],
        "pass_at": null,
        "token": null
      }
    },
    "ListApiKeys": {
      "path": {},
      "response": {
        "keys": [
          {
            "id": "ak_01m7xc4kkmepqbszdmczy3hnma",
            "uri": "https://sallyport.example.com/api_keys/ak_01m7xc4kkmepqbszdmczy3hnma",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "dashboard",
            "metadata": "",
            "scopes": [
              "ip-policies:read",
              "ssh:write"
            ],
            "expires_at": "2027-05-31T00:00:00Z",
            "pass_groups": [],
            "pass_at": null,
            "token": null
          },
          {
            "id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
            "uri": "https://sallyport.example.com/api_keys/ak_01m7xc4kkmepqbszdk22vcdxqm",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "key of default",
            "metadata": "",
            "scopes": [
              "write"
            ],
            "expires_at": null,
            "pass_groups": [],
            "pass_at": null,
            "token": null
          }
        ],
        "uri": "https://sallyport.example.com/api_keys",
        "next_page_uri": null
      }
    },
    "UpdateApiKey": {
      "path": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma"
      },
      "request": {
        "description": "dashboard of the office"
      },
      "response": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma",
        "uri": "https://sallyport.example.com/api_keys/ak_01m7xc4kkmepqbszdmczy3hnma",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "dashboard of the office",
        "metadata": "",
        "scopes": [
          "ip-policies:read",
          "ssh:write"
        ],
        "expires_at": "2027-05-31T00:00:00Z",
        "pass_groups": [],
        "pass_at": null,
        "token": null
      }
    },
    "CreateRole": {
      "path": {},
      "request": {
        "name": "network",
        "scopes": [
          "ip-policies:write",
          "read"
        ],
        "description": "Network team"
      },
      "response": {
        "id": "role_01m7xc4kkmepqbszdv6cf1scfe",
        "uri": "https://sallyport.example.com/roles/role_01m7xc4kkmepqbszdv6cf1scfe",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Network team",
        "metadata": "",
        "name": "network",
        "scopes": [
          "read",
          "ip-policies:write"
        ]
      }
    },
    "GetRole": {
      "path": {
        "id": "role_01m7xc4kkmepqbszdv6cf1scfe"
      },
      "response": {
        "id": "role_01m7xc4kkmepqbszdv6cf1scfe",
        "uri": "https://sallyport.example.com/roles/role_01m7xc4kkmepqbszdv6cf1scfe",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Network team",
        "metadata": "",
        "name": "network",
        "scopes": [
          "read",
          "ip-policies:write"
        ]
      }
    },
    "ListRoles": {
      "path": {},
      "response": {
        "roles": [
          {
            "id": "role_01m7xc4kkmepqbszdv6cf1scfe",
            "uri": "https://sallyport.example.com/roles/role_01m7xc4kkmepqbszdv6cf1scfe",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Network team",
            "metadata": "",
            "name": "network",
            "scopes": [
              "read",
              "ip-policies:write"
            ]
          }
        ],
        "uri": "https://sallyport.example.com/roles",
        "next_page_uri": null
      }
    },
    "UpdateRole": {
      "path": {
        "id": "role_01m7xc4kkmepqbszdv6cf1scfe"
      },
      "request": {
        "scopes": [
          "ip-policies:write"
        ]
      },
      "response": {
        "id": "role_01m7xc4kkmepqbszdv6cf1scfe",
        "uri": "https://sallyport.example.com/roles/role_01m7xc4kkmepqbszdv6cf1scfe",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Network team",
        "metadata": "",
        "name": "network",
        "scopes": [
          "ip-policies:write"
        ]
      }
    },
    "CreateSignInProvider": {
      "path": {},
      "request": {
        "issuer": "https://idp.example.com",
        "client_id": "sallyport",
        "client_secret": "a secret of the client",
        "name": "Keycloak",
        "enabled": false,
        "role_mappings": [
          {
            "group": "/operations",
            "role": "operator"
          },
          {
            "email": "ada@example.com",
            "role": "owner"
          }
        ]
      },
      "response": {
        "id": "sip_01m7xc4kkmepqbszdyd9vgegdr",
        "uri": "https://sallyport.example.com/sign_in_providers/sip_01m7xc4kkmepqbszdyd9vgegdr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "name": "Keycloak",
        "enabled": false,
        "refuses_keys": false,
        "role_mappings": [
          {
            "group": "/operations",
            "email": null,
            "everybody": false,
            "role": "operator"
          },
          {
            "group": null,
            "email": "ada@example.com",
            "everybody": false,
            "role": "owner"
          }
        ],
        "issuer": "https://idp.example.com",
        "client_id": "sallyport",
        "client_secret": "",
        "scopes": [
          "email",
          "profile"
        ],
        "groups_claim": "groups",
        "email_verification": "required",
        "authorized_email_domains": [],
        "redirect_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr/callback",
        "sign_in_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr",
        "protocol": "oidc",
        "saml": null
      }
    },
    "GetSignInProvider": {
      "path": {
        "id": "sip_01m7xc4kkmepqbszdyd9vgegdr"
      },
      "response": {
        "id": "sip_01m7xc4kkmepqbszdyd9vgegdr",
        "uri": "https://sallyport.example.com/sign_in_providers/sip_01m7xc4kkmepqbszdyd9vgegdr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "name": "Keycloak",
        "enabled": false,
        "refuses_keys": false,
        "role_mappings": [
          {
            "group": "/operations",
            "email": null,
            "everybody": false,
            "role": "operator"
          },
          {
            "group": null,
            "email": "ada@example.com",
            "everybody": false,
            "role": "owner"
          }
        ],
        "issuer": "https://idp.example.com",
        "client_id": "sallyport",
        "client_secret": "",
        "scopes": [
          "email",
          "profile"
        ],
        "groups_claim": "groups",
        "email_verification": "required",
        "authorized_email_domains": [],
        "redirect_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr/callback",
        "sign_in_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr",
        "protocol": "oidc",
        "saml": null
      }
    },
    "ListSignInProviders": {
      "path": {},
      "response": {
        "sign_in_providers": [
          {
            "id": "sip_01m7xc4kkmepqbszdyd9vgegdr",
            "uri": "https://sallyport.example.com/sign_in_providers/sip_01m7xc4kkmepqbszdyd9vgegdr",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "",
            "metadata": "",
            "name": "Keycloak",
            "enabled": false,
            "refuses_keys": false,
            "role_mappings": [
              {
                "group": "/operations",
                "email": null,
                "everybody": false,
                "role": "operator"
              },
              {
                "group": null,
                "email": "ada@example.com",
                "everybody": false,
                "role": "owner"
              }
            ],
            "issuer": "https://idp.example.com",
            "client_id": "sallyport",
            "client_secret": "",
            "scopes": [
              "email",
              "profile"
            ],
            "groups_claim": "groups",
            "email_verification": "required",
            "authorized_email_domains": [],
            "redirect_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr/callback",
            "sign_in_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr",
            "protocol": "oidc",
            "saml": null
          }
        ],
        "uri": "https://sallyport.example.com/sign_in_providers",
        "next_page_uri": null
      }
    },
    "UpdateSignInProvider": {
      "path": {
        "id": "sip_01m7xc4kkmepqbszdyd9vgegdr"
      },
      "request": {
        "role_mappings": [
          {
            "group": "/operations",
            "role": "auditor"
          }
        ]
      },
      "response": {
        "id": "sip_01m7xc4kkmepqbszdyd9vgegdr",
        "uri": "https://sallyport.example.com/sign_in_providers/sip_01m7xc4kkmepqbszdyd9vgegdr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "name": "Keycloak",
        "enabled": false,
        "refuses_keys": false,
        "role_mappings": [
          {
            "group": "/operations",
            "email": null,
            "everybody": false,
            "role": "auditor"
          }
        ],
        "issuer": "https://idp.example.com",
        "client_id": "sallyport",
        "client_secret": "",
        "scopes": [
          "email",
          "profile"
        ],
        "groups_claim": "groups",
        "email_verification": "required",
        "authorized_email_domains": [],
        "redirect_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr/callback",
        "sign_in_url": "https://sallyport.example.com/dashboard/sign-in/sip_01m7xc4kkmepqbszdyd9vgegdr",
        "protocol": "oidc",
        "saml": null
      }
    },
    "CreateIpPolicy": {
      "path": {},
      "request": {
        "description": "Offices",
        "metadata": "{\"owner\":\"network\"}"
      },
      "response": {
        "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
        "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Offices",
        "metadata": "{\"owner\":\"network\"}"
      }
    },
    "GetIpPolicy": {
      "path": {
        "id": "ipp_01m7xc4kkmepqbsze2fned00pw"
      },
      "response": {
        "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
        "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Offices",
        "metadata": "{\"owner\":\"network\"}"
      }
    },
    "ListIpPolicies": {
      "path": {},
      "response": {
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Offices",
            "metadata": "{\"owner\":\"network\"}"
          }
        ],
        "uri": "https://sallyport.example.com/ip_policies",
        "next_page_uri": null
      }
    },
    "UpdateIpPolicy": {
      "path": {
        "id": "ipp_01m7xc4kkmepqbsze2fned00pw"
      },
      "request": {
        "description": "Offices and data centres"
      },
      "response": {
        "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
        "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Offices and data centres",
        "metadata": "{\"owner\":\"network\"}"
      }
    },
    "ReplaceIpPolicyRules": {
      "path": {
        "id": "ipp_01m7xc4kkmepqbsze2fned00pw"
      },
      "request": {
        "rules": [
          {
            "cidr": "203.0.113.0/24",
            "action": "deny",
            "description": "Guests"
          }
        ]
      },
      "response": {
        "ip_policy_rules": [
          {
            "id": "ipr_01m7xc4kkmepqbsze6p3fwwcd4",
            "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbsze6p3fwwcd4",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Guests",
            "metadata": "",
            "cidr": "203.0.113.0/24",
            "ip_policy": {
              "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
              "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
            },
            "action": "deny",
            "expires_at": null
          }
        ]
      }
    },
    "CreateIpPolicyRule": {
      "path": {},
      "request": {
        "ip_policy_id": "ipp_01m7xc4kkmepqbsze2fned00pw",
        "cidr": "192.0.2.0/24",
        "action": "allow",
        "description": "Berlin"
      },
      "response": {
        "id": "ipr_01m7xc4kkmepqbsze8x2na8mv3",
        "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbsze8x2na8mv3",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Berlin",
        "metadata": "",
        "cidr": "192.0.2.0/24",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
        },
        "action": "allow",
        "expires_at": null
      }
    },
    "GetIpPolicyRule": {
      "path": {
        "id": "ipr_01m7xc4kkmepqbsze8x2na8mv3"
      },
      "response": {
        "id": "ipr_01m7xc4kkmepqbsze8x2na8mv3",
        "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbsze8x2na8mv3",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Berlin",
        "metadata": "",
        "cidr": "192.0.2.0/24",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
        },
        "action": "allow",
        "expires_at": null
      }
    },
    "ListIpPolicyRules": {
      "path": {},
      "response": {
        "ip_policy_rules": [
          {
            "id": "ipr_01m7xc4kkmepqbsze8x2na8mv3",
            "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbsze8x2na8mv3",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Berlin",
            "metadata": "",
            "cidr": "192.0.2.0/24",
            "ip_policy": {
              "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
              "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
            },
            "action": "allow",
            "expires_at": null
          },
          {
            "id": "ipr_01m7xc4kkmepqbsze6p3fwwcd4",
            "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbsze6p3fwwcd4",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Guests",
            "metadata": "",
            "cidr": "203.0.113.0/24",
            "ip_policy": {
              "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
              "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
            },
            "action": "deny",
            "expires_at": null
          }
        ],
        "uri": "https://sallyport.example.com/ip_policy_rules",
        "next_page_uri": null
      }
    },
    "UpdateIpPolicyRule": {
      "path": {
        "id": "ipr_01m7xc4kkmepqbsze8x2na8mv3"
      },
      "request": {
        "cidr": "198.51.100.0/24"
      },
      "response": {
        "id": "ipr_01m7xc4kkmepqbsze8x2na8mv3",
        "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbsze8x2na8mv3",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Berlin",
        "metadata": "",
        "cidr": "198.51.100.0/24",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
        },
        "action": "allow",
        "expires_at": null
      }
    },
    "CreateIpPolicySource": {
      "path": {},
      "request": {
        "ip_policy_id": "ipp_01m7xc4kkmepqbsze2fned00pw",
        "kind": "dns",
        "address": "localhost",
        "action": "allow",
        "interval_seconds": 600,
        "description": "This machine"
      },
      "response": {
        "id": "ips_01m7xc4kkmepqbszefg7sgxcq1",
        "uri": "https://sallyport.example.com/ip_policy_sources/ips_01m7xc4kkmepqbszefg7sgxcq1",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "This machine",
        "metadata": "",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
        },
        "kind": "dns",
        "address": "localhost",
        "json_path": "",
        "action": "allow",
        "interval_seconds": 600,
        "range_count": 2,
        "pending_count": null,
        "read_at": "2026-11-20T21:00:00Z",
        "tried_at": "2026-11-20T21:00:00Z",
        "failure": null
      }
    },
    "GetIpPolicySource": {
      "path": {
        "id": "ips_01m7xc4kkmepqbszefg7sgxcq1"
      },
      "response": {
        "id": "ips_01m7xc4kkmepqbszefg7sgxcq1",
        "uri": "https://sallyport.example.com/ip_policy_sources/ips_01m7xc4kkmepqbszefg7sgxcq1",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "This machine",
        "metadata": "",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
        },
        "kind": "dns",
        "address": "localhost",
        "json_path": "",
        "action": "allow",
        "interval_seconds": 600,
        "range_count": 2,
        "pending_count": null,
        "read_at": "2026-11-20T21:00:00Z",
        "tried_at": "2026-11-20T21:00:00Z",
        "failure": null
      }
    },
    "ListIpPolicySources": {
      "path": {},
      "response": {
        "ip_policy_sources": [
          {
            "id": "ips_01m7xc4kkmepqbszefg7sgxcq1",
            "uri": "https://sallyport.example.com/ip_policy_sources/ips_01m7xc4kkmepqbszefg7sgxcq1",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "This machine",
            "metadata": "",
            "ip_policy": {
              "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
              "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
            },
            "kind": "dns",
            "address": "localhost",
            "json_path": "",
            "action": "allow",
            "interval_seconds": 600,
            "range_count": 2,
            "pending_count": null,
            "read_at": "2026-11-20T21:00:00Z",
            "tried_at": "2026-11-20T21:00:00Z",
            "failure": null
          }
        ],
        "uri": "https://sallyport.example.com/ip_policy_sources",
        "next_page_uri": null
      }
    },
    "UpdateIpPolicySource": {
      "path": {
        "id": "ips_01m7xc4kkmepqbszefg7sgxcq1"
      },
      "request": {
        "interval_seconds": 900
      },
      "response": {
        "id": "ips_01m7xc4kkmepqbszefg7sgxcq1",
        "uri": "https://sallyport.example.com/ip_policy_sources/ips_01m7xc4kkmepqbszefg7sgxcq1",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "This machine",
        "metadata": "",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
        },
        "kind": "dns",
        "address": "localhost",
        "json_path": "",
        "action": "allow",
        "interval_seconds": 900,
        "range_count": 2,
        "pending_count": null,
        "read_at": "2026-11-20T21:00:00Z",
        "tried_at": "2026-11-20T21:00:00Z",
        "failure": null
      }
    },
    "CreateIpRestriction": {
      "path": {},
      "request": {
        "type": "endpoints",
        "ip_policy_ids": [
          "ipp_01m7xc4kkmepqbsze2fned00pw"
        ],
        "enforced": true,
        "description": "Only from our offices"
      },
      "response": {
        "id": "ipx_01m7xc4kkmepqbszej3q5nv2ec",
        "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbszej3q5nv2ec",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Only from our offices",
        "metadata": "",
        "enforced": true,
        "type": "endpoints",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
          }
        ]
      }
    },
    "GetIpRestriction": {
      "path": {
        "id": "ipx_01m7xc4kkmepqbszej3q5nv2ec"
      },
      "response": {
        "id": "ipx_01m7xc4kkmepqbszej3q5nv2ec",
        "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbszej3q5nv2ec",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Only from our offices",
        "metadata": "",
        "enforced": true,
        "type": "endpoints",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
          }
        ]
      }
    },
    "ListIpRestrictions": {
      "path": {},
      "response": {
        "ip_restrictions": [
          {
            "id": "ipx_01m7xc4kkmepqbszej3q5nv2ec",
            "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbszej3q5nv2ec",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Only from our offices",
            "metadata": "",
            "enforced": true,
            "type": "endpoints",
            "ip_policies": [
              {
                "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
                "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
              }
            ]
          }
        ],
        "uri": "https://sallyport.example.com/ip_restrictions",
        "next_page_uri": null
      }
    },
    "UpdateIpRestriction": {
      "path": {
        "id": "ipx_01m7xc4kkmepqbszej3q5nv2ec"
      },
      "request": {
        "ip_policy_ids": [
          "ipp_01m7xc4kkmepqbsze2fned00pw"
        ],
        "description": "Only from Berlin"
      },
      "response": {
        "id": "ipx_01m7xc4kkmepqbszej3q5nv2ec",
        "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbszej3q5nv2ec",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Only from Berlin",
        "metadata": "",
        "enforced": true,
        "type": "endpoints",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
          }
        ]
      }
    },
    "CreateSshCertificateAuthority": {
      "path": {},
      "request": {
        "description": "Hosts",
        "private_key_type": "ed25519"
      },
      "response": {
        "id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbszemb728pdbr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Hosts",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvn",
        "key_type": "ed25519"
      }
    },
    "GetSshCertificateAuthority": {
      "path": {
        "id": "sshca_01m7xc4kkmepqbszemb728pdbr"
      },
      "response": {
        "id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbszemb728pdbr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Hosts",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvn",
        "key_type": "ed25519"
      }
    },
    "ListSshCertificateAuthorities": {
      "path": {},
      "response": {
        "ssh_certificate_authorities": [
          {
            "id": "sshca_01m7xc4kkmepqbszemb728pdbr",
            "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbszemb728pdbr",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Hosts",
            "metadata": "",
            "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvn",
            "key_type": "ed25519"
          }
        ],
        "uri": "https://sallyport.example.com/ssh_certificate_authorities",
        "next_page_uri": null
      }
    },
    "UpdateSshCertificateAuthority": {
      "path": {
        "id": "sshca_01m7xc4kkmepqbszemb728pdbr"
      },
      "request": {
        "description": "Hosts of the data centre"
      },
      "response": {
        "id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbszemb728pdbr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Hosts of the data centre",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvn",
        "key_type": "ed25519"
      }
    },
    "CreateSshHostCertificate": {
      "path": {},
      "request": {
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "principals": [
          "bastion.example.com",
          "192.0.2.7"
        ],
        "valid_until": "2027-11-20T21:00:00Z"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszevd9ahq5xd",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "principals": [
          "bastion.example.com",
          "192.0.2.7"
        ],
        "valid_after": "2026-11-20T21:00:00Z",
        "valid_until": "2027-11-20T21:00:00Z",
        "certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIL1fCi/zxnos7q53gfMOsuElH8LSwPe/tfjQSuT3odt3AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLBHNBgafOZjBwAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3plYXAzZnd3Y2Q0AAAAJAAAABNiYXN0aW9uLmV4YW1wbGUuY29tAAAACTE5Mi4wLjIuNwAAAABrALTQAAAAAGzh6FAAAAAAAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvnAAAAUwAAAAtzc2gtZWQyNTUxOQAAAED2+yCmqt7Icl+he8H6cXgR++dcnL0KxOKMykUSny1IeUIxtvAP+7Xok/gXyPivVggHDmRQyj072lrPr+NG8sID shcrt_01m7xc4kkmepqbszeap3fwwcd4"
      }
    },
    "GetSshHostCertificate": {
      "path": {
        "id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszevd9ahq5xd",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "principals": [
          "bastion.example.com",
          "192.0.2.7"
        ],
        "valid_after": "2026-11-20T21:00:00Z",
        "valid_until": "2027-11-20T21:00:00Z",
        "certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIL1fCi/zxnos7q53gfMOsuElH8LSwPe/tfjQSuT3odt3AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLBHNBgafOZjBwAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3plYXAzZnd3Y2Q0AAAAJAAAABNiYXN0aW9uLmV4YW1wbGUuY29tAAAACTE5Mi4wLjIuNwAAAABrALTQAAAAAGzh6FAAAAAAAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvnAAAAUwAAAAtzc2gtZWQyNTUxOQAAAED2+yCmqt7Icl+he8H6cXgR++dcnL0KxOKMykUSny1IeUIxtvAP+7Xok/gXyPivVggHDmRQyj072lrPr+NG8sID shcrt_01m7xc4kkmepqbszeap3fwwcd4"
      }
    },
    "ListSshHostCertificates": {
      "path": {},
      "response": {
        "ssh_host_certificates": [
          {
            "id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd",
            "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszevd9ahq5xd",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "",
            "metadata": "",
            "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
            "key_type": "ed25519",
            "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
            "principals": [
              "bastion.example.com",
              "192.0.2.7"
            ],
            "valid_after": "2026-11-20T21:00:00Z",
            "valid_until": "2027-11-20T21:00:00Z",
            "certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIL1fCi/zxnos7q53gfMOsuElH8LSwPe/tfjQSuT3odt3AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLBHNBgafOZjBwAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3plYXAzZnd3Y2Q0AAAAJAAAABNiYXN0aW9uLmV4YW1wbGUuY29tAAAACTE5Mi4wLjIuNwAAAABrALTQAAAAAGzh6FAAAAAAAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvnAAAAUwAAAAtzc2gtZWQyNTUxOQAAAED2+yCmqt7Icl+he8H6cXgR++dcnL0KxOKMykUSny1IeUIxtvAP+7Xok/gXyPivVggHDmRQyj072lrPr+NG8sID shcrt_01m7xc4kkmepqbszeap3fwwcd4"
          }
        ],
        "uri": "https://sallyport.example.com/ssh_host_certificates",
        "next_page_uri": null
      }
    },
    "UpdateSshHostCertificate": {
      "path": {
        "id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd"
      },
      "request": {
        "description": "The way in"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszevd9ahq5xd",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "The way in",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "principals": [
          "bastion.example.com",
          "192.0.2.7"
        ],
        "valid_after": "2026-11-20T21:00:00Z",
        "valid_until": "2027-11-20T21:00:00Z",
        "certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIL1fCi/zxnos7q53gfMOsuElH8LSwPe/tfjQSuT3odt3AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLBHNBgafOZjBwAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3plYXAzZnd3Y2Q0AAAAJAAAABNiYXN0aW9uLmV4YW1wbGUuY29tAAAACTE5Mi4wLjIuNwAAAABrALTQAAAAAGzh6FAAAAAAAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvnAAAAUwAAAAtzc2gtZWQyNTUxOQAAAED2+yCmqt7Icl+he8H6cXgR++dcnL0KxOKMykUSny1IeUIxtvAP+7Xok/gXyPivVggHDmRQyj072lrPr+NG8sID shcrt_01m7xc4kkmepqbszeap3fwwcd4"
      }
    },
    "CreateSshEnrollmentToken": {
      "path": {},
      "request": {
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "principals": [
          "*.db.example.com",
          "10.1.0.0/16"
        ],
        "key_types": [
          "ed25519",
          "ecdsa"
        ],
        "max_uses": 20,
        "description": "Database hosts"
      },
      "response": {
        "id": "sshenr_01m7xc4kkmepqbszezhxzhmj5c",
        "uri": "https://sallyport.example.com/ssh_enrollment_tokens/sshenr_01m7xc4kkmepqbszezhxzhmj5c",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Database hosts",
        "metadata": "",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "principals": [
          "*.db.example.com",
          "10.1.0.0/16"
        ],
        "key_types": [
          "ed25519",
          "ecdsa"
        ],
        "max_validity": 7776000,
        "max_uses": 20,
        "uses": 0,
        "expires_at": "2026-11-21T21:00:00Z",
        "token": "sshet_c4yNX5-RV753fUyfnqp9g3tKAlLMKfn--ATmucDGpCU97890140"
      }
    },
    "GetSshEnrollmentToken": {
      "path": {
        "id": "sshenr_01m7xc4kkmepqbszezhxzhmj5c"
      },
      "response": {
        "id": "sshenr_01m7xc4kkmepqbszezhxzhmj5c",
        "uri": "https://sallyport.example.com/ssh_enrollment_tokens/sshenr_01m7xc4kkmepqbszezhxzhmj5c",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Database hosts",
        "metadata": "",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "principals": [
          "*.db.example.com",
          "10.1.0.0/16"
        ],
        "key_types": [
          "ed25519",
          "ecdsa"
        ],
        "max_validity": 7776000,
        "max_uses": 20,
        "uses": 0,
        "expires_at": "2026-11-21T21:00:00Z",
        "token": null
      }
    },
    "ListSshEnrollmentTokens": {
      "path": {},
      "response": {
        "ssh_enrollment_tokens": [
          {
            "id": "sshenr_01m7xc4kkmepqbszezhxzhmj5c",
            "uri": "https://sallyport.example.com/ssh_enrollment_tokens/sshenr_01m7xc4kkmepqbszezhxzhmj5c",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Database hosts",
            "metadata": "",
            "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
            "principals": [
              "*.db.example.com",
              "10.1.0.0/16"
            ],
            "key_types": [
              "ed25519",
              "ecdsa"
            ],
            "max_validity": 7776000,
            "max_uses": 20,
            "uses": 0,
            "expires_at": "2026-11-21T21:00:00Z",
            "token": null
          }
        ],
        "uri": "https://sallyport.example.com/ssh_enrollment_tokens",
        "next_page_uri": null
      }
    },
    "UpdateSshEnrollmentToken": {
      "path": {
        "id": "sshenr_01m7xc4kkmepqbszezhxzhmj5c"
      },
      "request": {
        "description": "Database hosts of the new data centre"
      },
      "response": {
        "id": "sshenr_01m7xc4kkmepqbszezhxzhmj5c",
        "uri": "https://sallyport.example.com/ssh_enrollment_tokens/sshenr_01m7xc4kkmepqbszezhxzhmj5c",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Database hosts of the new data centre",
        "metadata": "",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
        "principals": [
          "*.db.example.com",
          "10.1.0.0/16"
        ],
        "key_types": [
          "ed25519",
          "ecdsa"
        ],
        "max_validity": 7776000,
        "max_uses": 20,
        "uses": 0,
        "expires_at": "2026-11-21T21:00:00Z",
        "token": null
      }
    },
    "CreateTunnelGroupBackend": {
      "path": {},
      "request": {
        "labels": {
          "app": "shop"
        },
        "targets": [
          "10.0.0.5:443"
        ]
      },
      "response": {
        "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
        "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "labels": {
          "app": "shop"
        },
        "targets": [
          "10.0.0.5:443"
        ],
        "tls": "passthrough",
        "tunnels": []
      }
    },
    "GetTunnelGroupBackend": {
      "path": {
        "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
      },
      "response": {
        "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
        "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "labels": {
          "app": "shop"
        },
        "targets": [
          "10.0.0.5:443"
        ],
        "tls": "passthrough",
        "tunnels": []
      }
    },
    "ListTunnelGroupBackends": {
      "path": {},
      "response": {
        "backends": [
          {
            "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
            "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "",
            "metadata": "",
            "labels": {
              "app": "shop"
            },
            "targets": [
              "10.0.0.5:443"
            ],
            "tls": "passthrough",
            "tunnels": []
          }
        ],
        "uri": "https://sallyport.example.com/backends/tunnel_group",
        "next_page_uri": null
      }
    },
    "UpdateTunnelGroupBackend": {
      "path": {
        "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
      },
      "request": {
        "labels": {
          "app": "shop",
          "region": "eu"
        },
        "targets": [
          "10.0.0.6:8080"
        ],
        "tls": "none"
      },
      "response": {
        "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
        "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "labels": {
          "app": "shop",
          "region": "eu"
        },
        "targets": [
          "10.0.0.6:8080"
        ],
        "tls": "none",
        "tunnels": []
      }
    },
    "CreateHttpsEdge": {
      "path": {},
      "request": {
        "hostports": [
          "intranet.example.com:443"
        ]
      },
      "response": {
        "id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "hostports": [
          "intranet.example.com:443"
        ],
        "signs_identity": false,
        "forwards_keys": false,
        "routes": []
      }
    },
    "GetHttpsEdge": {
      "path": {
        "id": "edghts_01m7xc4kkmepqbszf4ya04nxqv"
      },
      "response": {
        "id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "hostports": [
          "intranet.example.com:443"
        ],
        "signs_identity": false,
        "forwards_keys": false,
        "routes": []
      }
    },
    "ListHttpsEdges": {
      "path": {},
      "response": {
        "https_edges": [
          {
            "id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
            "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "",
            "metadata": "",
            "hostports": [
              "intranet.example.com:443"
            ],
            "signs_identity": false,
            "forwards_keys": false,
            "routes": []
          }
        ],
        "uri": "https://sallyport.example.com/edges/https",
        "next_page_uri": null
      }
    },
    "UpdateHttpsEdge": {
      "path": {
        "id": "edghts_01m7xc4kkmepqbszf4ya04nxqv"
      },
      "request": {
        "description": "The intranet"
      },
      "response": {
        "id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "The intranet",
        "metadata": "",
        "hostports": [
          "intranet.example.com:443"
        ],
        "signs_identity": false,
        "forwards_keys": false,
        "routes": []
      }
    },
    "CreateHttpsEdgeRoute": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv"
      },
      "request": {
        "match_type": "path_prefix",
        "match": "/"
      },
      "response": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv/routes/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "created_at": "2026-11-20T21:00:00Z",
        "match_type": "path_prefix",
        "match": "/",
        "description": "",
        "metadata": "",
        "saml": null,
        "oidc": null,
        "ip_restriction": null,
        "backend": null
      }
    },
    "GetHttpsEdgeRoute": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "response": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv/routes/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "created_at": "2026-11-20T21:00:00Z",
        "match_type": "path_prefix",
        "match": "/",
        "description": "",
        "metadata": "",
        "saml": null,
        "oidc": null,
        "ip_restriction": null,
        "backend": null
      }
    },
    "ListHttpsEdgeRoutes": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv"
      },
      "response": {
        "routes": [
          {
            "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
            "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
            "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv/routes/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
            "created_at": "2026-11-20T21:00:00Z",
            "match_type": "path_prefix",
            "match": "/",
            "description": "",
            "metadata": "",
            "saml": null,
            "oidc": null,
            "ip_restriction": null,
            "backend": null
          }
        ],
        "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv/routes",
        "next_page_uri": null
      }
    },
    "UpdateHttpsEdgeRoute": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "request": {
        "description": "Everything"
      },
      "response": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "uri": "https://sallyport.example.com/edges/https/edghts_01m7xc4kkmepqbszf4ya04nxqv/routes/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "created_at": "2026-11-20T21:00:00Z",
        "match_type": "path_prefix",
        "match": "/",
        "description": "Everything",
        "metadata": "",
        "saml": null,
        "oidc": null,
        "ip_restriction": null,
        "backend": null
      }
    },
    "ReplaceSamlModule": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "request": {
        "idp_metadata": "<EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"https://idp.example.com\"/>",
        "authorized_groups": [
          "staff"
        ]
      },
      "response": {
        "enabled": true,
        "options_passthrough": false,
        "cookie_prefix": "sallyport.",
        "inactivity_timeout": 0,
        "maximum_duration": 0,
        "idp_metadata": "<EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"https://idp.example.com\"/>",
        "force_authn": false,
        "allow_idp_initiated": true,
        "authorized_groups": [
          "staff"
        ],
        "entity_id": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "assertion_consumer_service_url": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y/acs",
        "single_logout_url": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y/slo",
        "request_signing_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIID8zCCAtugAwIBAgIRAPX8ueX6om8QrtsjalUbl60wDQYJKoZIhvcNAQELBQAw\ngaIxTzBNBgNVBAoMRmh0dHBzOi8vc2FsbHlwb3J0LmV4YW1wbGUuY29tL3NhbWwv\nZWRnaHRzcnRfMDFtN3hjNGtrbWVwcWJzemVzdHI5cnB0cW4xTzBNBgNVBAMMRmh0\ndHBzOi8vc2FsbHlwb3J0LmV4YW1wbGUuY29tL3NhbWwvZWRnaHRzcnRfMDFtN3hj\nNGtrbWVwcWJzemVzdHI5cnB0cW4wIBcNMjYxMTIwMjEwMDAwWhgPMjA2MTExMTEy\nMTAwMDBaMIGiMU8wTQYDVQQKDEZodHRwczovL3NhbGx5cG9ydC5leGFtcGxlLmNv\nbS9zYW1sL2VkZ2h0c3J0XzAxbTd4YzRra21lcHFic3plc3RyOXJwdHFuMU8wTQYD\nVQQDDEZodHRwczovL3NhbGx5cG9ydC5leGFtcGxlLmNvbS9zYW1sL2VkZ2h0c3J0\nXzAxbTd4YzRra21lcHFic3plc3RyOXJwdHFuMIIBIjANBgkqhkiG9w0BAQEFAAOC\nAQ8AMIIBCgKCAQEAnZVJMpr0vdTYPV23fBvOuTXNWxP2oULX+ETbd14+5aDP/v9d\nBErCcrC6CBCUl4/febno8JizLPpvGE/1WocvwcLk/sY6l0XbAXr8CjL1Pk8V5j+b\nI4PuWy5Up4yGdbWcDuhr3/q/tA6naSExa4mtCRdDneeuVF7gbp7AX1Zmb0QX7U83\nLGtbfrBdwL6awQjR9HCUHsjdDHleTznyk9xcPMtidcgJpSdbKpL8XB8EXcPFY0m+\n2NXwuMCTY/XbHs+v7RyT8njgiSOEpOPCEA2PpKFEM4ozuLmRecrVUHnQr81tUrrC\neEY/wQkQuYOip/k7d2mddea9MK+1+bJ4V4yXFQIDAQABoyAwHjAOBgNVHQ8BAf8E\nBAMCB4AwDAYDVR0TAQH/BAIwADANBgkqhkiG9w0BAQsFAAOCAQEAKs4uzvi1li7T\n2fQNzlf8uEKubIFJAQK/0cLqTsg1vKy2Q4TS8OGc27m+E/v3EOexbeXxHB0MXzl8\nXP0HNuqRp4BNwhUI76WWu7GJj36v3pPKNmEC7xP/wO9YT6hKG9j1LSwRCbT3Avi7\nPK7P275WzIb7Em4OkCUfPHSlyhMTsB/SBeUZDeC/ua7+ERa7SWzNwYn70iPPPV+r\nvQppnK5Qryf7EOMDvmELAeZOmeGlEj8EF8fvneRbDV4qpBbWdEQo6TA8dzBnbykP\nfA2V5lSvwE2r0aIxOrTFm0wm5m+uG01cNYKJwycbRISi7OkeEticEkrQLNYbNnbt\npudmiLP2ZA==\n-----END CERTIFICATE-----\n",
        "metadata_url": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "nameid_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        "idp_metadata_url": "",
        "idp_entity_id": "",
        "login_route_id": null
      }
    },
    "GetSamlModule": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "response": {
        "enabled": true,
        "options_passthrough": false,
        "cookie_prefix": "sallyport.",
        "inactivity_timeout": 0,
        "maximum_duration": 0,
        "idp_metadata": "<EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"https://idp.example.com\"/>",
        "force_authn": false,
        "allow_idp_initiated": true,
        "authorized_groups": [
          "staff"
        ],
        "entity_id": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "assertion_consumer_service_url": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y/acs",
        "single_logout_url": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y/slo",
        "request_signing_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIID8zCCAtugAwIBAgIRAPX8ueX6om8QrtsjalUbl60wDQYJKoZIhvcNAQELBQAw\ngaIxTzBNBgNVBAoMRmh0dHBzOi8vc2FsbHlwb3J0LmV4YW1wbGUuY29tL3NhbWwv\nZWRnaHRzcnRfMDFtN3hjNGtrbWVwcWJzemVzdHI5cnB0cW4xTzBNBgNVBAMMRmh0\ndHBzOi8vc2FsbHlwb3J0LmV4YW1wbGUuY29tL3NhbWwvZWRnaHRzcnRfMDFtN3hj\nNGtrbWVwcWJzemVzdHI5cnB0cW4wIBcNMjYxMTIwMjEwMDAwWhgPMjA2MTExMTEy\nMTAwMDBaMIGiMU8wTQYDVQQKDEZodHRwczovL3NhbGx5cG9ydC5leGFtcGxlLmNv\nbS9zYW1sL2VkZ2h0c3J0XzAxbTd4YzRra21lcHFic3plc3RyOXJwdHFuMU8wTQYD\nVQQDDEZodHRwczovL3NhbGx5cG9ydC5leGFtcGxlLmNvbS9zYW1sL2VkZ2h0c3J0\nXzAxbTd4YzRra21lcHFic3plc3RyOXJwdHFuMIIBIjANBgkqhkiG9w0BAQEFAAOC\nAQ8AMIIBCgKCAQEAnZVJMpr0vdTYPV23fBvOuTXNWxP2oULX+ETbd14+5aDP/v9d\nBErCcrC6CBCUl4/febno8JizLPpvGE/1WocvwcLk/sY6l0XbAXr8CjL1Pk8V5j+b\nI4PuWy5Up4yGdbWcDuhr3/q/tA6naSExa4mtCRdDneeuVF7gbp7AX1Zmb0QX7U83\nLGtbfrBdwL6awQjR9HCUHsjdDHleTznyk9xcPMtidcgJpSdbKpL8XB8EXcPFY0m+\n2NXwuMCTY/XbHs+v7RyT8njgiSOEpOPCEA2PpKFEM4ozuLmRecrVUHnQr81tUrrC\neEY/wQkQuYOip/k7d2mddea9MK+1+bJ4V4yXFQIDAQABoyAwHjAOBgNVHQ8BAf8E\nBAMCB4AwDAYDVR0TAQH/BAIwADANBgkqhkiG9w0BAQsFAAOCAQEAKs4uzvi1li7T\n2fQNzlf8uEKubIFJAQK/0cLqTsg1vKy2Q4TS8OGc27m+E/v3EOexbeXxHB0MXzl8\nXP0HNuqRp4BNwhUI76WWu7GJj36v3pPKNmEC7xP/wO9YT6hKG9j1LSwRCbT3Avi7\nPK7P275WzIb7Em4OkCUfPHSlyhMTsB/SBeUZDeC/ua7+ERa7SWzNwYn70iPPPV+r\nvQppnK5Qryf7EOMDvmELAeZOmeGlEj8EF8fvneRbDV4qpBbWdEQo6TA8dzBnbykP\nfA2V5lSvwE2r0aIxOrTFm0wm5m+uG01cNYKJwycbRISi7OkeEticEkrQLNYbNnbt\npudmiLP2ZA==\n-----END CERTIFICATE-----\n",
        "metadata_url": "https://sallyport.example.com/saml/edghtsrt_01m7xc4kkmepqbszfb1x09f58y",
        "nameid_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        "idp_metadata_url": "",
        "idp_entity_id": "",
        "login_route_id": null
      }
    },
    "RotateSamlKey": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "request": {
        "step": "announce"
      },
      "response": {
        "state": "announced",
        "next_step": "take_over",
        "changed_at": "2026-11-20T21:00:00Z",
        "signing_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIIDLzCCAhegAwIBAgIRAKXRWQWmQ3ESlvFfPgGnjX8wDQYJKoZIhvcNAQELBQAw\nQjESMBAGA1UECgwJU2FsbHlwb3J0MSwwKgYDVQQDDCNlZGdodHNydF8wMW03eGM0\na2ttZXBxYnN6ZmIxeDA5ZjU4eTAeFw0yNjExMjAyMTAwMDBaFw0zMTExMTkyMTAw\nMDBaMEIxEjAQBgNVBAoMCVNhbGx5cG9ydDEsMCoGA1UEAwwjZWRnaHRzcnRfMDFt\nN3hjNGtrbWVwcWJzemZiMXgwOWY1OHkwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw\nggEKAoIBAQC0ATX8YN+IH677RtXrhFMMTJbHWbvVZu9D4X3wVUJrMglvEGixLSjV\n4Ap+hQiKeCYR+yZgL843H0mOALqamtCcCEkMbO4yMAIdTTilwwQwOobL+EM9hUZa\nSmKXrSw7JBLgAyKoBkrTYlO+QI8K43JU2JCVUUsPTaKfQnx3BUHTbEKnE29NhaGx\nCpMAVZ1KthdYX2KdQugrN4u5WT6LtsfpjnVCMA3kL6ibrmdWos/WWw3LA/biykcc\nKtcaaMYMR6NAegU301LOZG4+HqrOEeEgrkgWacpj5TRx3zjK9gl5dOPncGvgxnXM\nkVm8+TzB+qDZHAB9P00V4h3wzLY0eMGFAgMBAAGjIDAeMA4GA1UdDwEB/wQEAwIH\ngDAMBgNVHRMBAf8EAjAAMA0GCSqGSIb3DQEBCwUAA4IBAQB3zJ4mLt1fcHaQf11X\ng8JIOoPQM8dCO8NlfYQJ5brjl3XhTI5rDNV2HFmVDhYEsDAAOlFFVst6FJ1Fz39Z\nPDXG8e0omo8kSvWbyTZYNo6ddFx8UIXySZCipPgaqZIX3LCppEU1WI5ri/fUURmR\nRuvStV7X71ePZH5LNSXEDmr2Cv8KY9h5iF+Kn4P4dwg1VW74OPxzXMB1BRY74KCt\nUUI0nScPdmeIONIotQlDvBKJdsjceaHBgBKFOY6b05eJt5AcsZ2OTr5iR5tqVCGK\nvd8pQ2Z2LB/2+CeSPQEUUhJq/RblFTHPpDQYPVqaLdLRlrxl1UYf7i/luPUwQg7U\nJezO\n-----END CERTIFICATE-----\n",
        "signing_expires_at": "2031-11-19T21:00:00Z",
        "encryption_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIIDLzCCAhegAwIBAgIRAO+1Q4wW2E3iKfJsup6JiJwwDQYJKoZIhvcNAQELBQAw\nQjESMBAGA1UECgwJU2FsbHlwb3J0MSwwKgYDVQQDDCNlZGdodHNydF8wMW03eGM0\na2ttZXBxYnN6ZmIxeDA5ZjU4eTAeFw0yNjExMjAyMTAwMDBaFw0zMTExMTkyMTAw\nMDBaMEIxEjAQBgNVBAoMCVNhbGx5cG9ydDEsMCoGA1UEAwwjZWRnaHRzcnRfMDFt\nN3hjNGtrbWVwcWJzemZiMXgwOWY1OHkwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw\nggEKAoIBAQDLUtvrWB2ZQlxo9MWIbedudTS/4mJG7rSHPAFGciC3ozrdq9GnRjfH\nIMRf81kL7d6RPRITN38OqQDMPjr4x1dBfDQIIATnsE869rDYat1snx1qv95fxBLk\niS0SnDnFlJXLU1MipMDrC2mY6CpI6Ah95WY/xYd3U7LpaD1RryC2RgKMOJzd9MAL\nbS0uqudIAfw4lU2/eCzesZpGl8caIpq3KGhuw1VDj6eYUA6IXpcAOXvb0+/GYwV/\nNbJZ7FiuGJ9vvEAt3Xi0f2RiSflXKxJI2DB26oJYSml2vRG2+cuIXVmVDOFhRoj9\ng0JaA9im9qn90RplIzAIe6mbqfWOvcRbAgMBAAGjIDAeMA4GA1UdDwEB/wQEAwIF\nIDAMBgNVHRMBAf8EAjAAMA0GCSqGSIb3DQEBCwUAA4IBAQB+g2YIyNdggvkJuc8V\nuyxyqWpGCJ78f3X8IJFaAcMOADH5TcMx4/YZLQWeKev1BwZvM7XD1z0cXN5Ti/2s\n7KuMAMb8I5vWAcnow8dsuQfRcNs4hHn2LurRo2md8rB4luqi/2osoaCuOceJcvpQ\n6cvnIFFzddNWQCKpccS6nskIFbLBGOC04O4Z9ozxCaO5h9P7+Z/h6YY8Vdj/AKDY\nCad3QNboSZezwgwMcCKyuZ4iESnLoBGbqleCY+2oehH/UYQbYzz3f3H5UZ8B51W0\nPsbI+nBkm1IbEpp85bXNaITbwYCe8C271ic+laJW2hk0tqd9MnNph7hhrZUQI2XE\ncPPI\n-----END CERTIFICATE-----\n",
        "encryption_expires_at": "2031-11-19T21:00:00Z",
        "next_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIIDLzCCAhegAwIBAgIRAMo5w1s+Ky54c5cJo+KLrM4wDQYJKoZIhvcNAQELBQAw\nQjESMBAGA1UECgwJU2FsbHlwb3J0MSwwKgYDVQQDDCNlZGdodHNydF8wMW03eGM0\na2ttZXBxYnN6ZmIxeDA5ZjU4eTAeFw0yNjExMjAyMTAwMDBaFw0zMTExMTkyMTAw\nMDBaMEIxEjAQBgNVBAoMCVNhbGx5cG9ydDEsMCoGA1UEAwwjZWRnaHRzcnRfMDFt\nN3hjNGtrbWVwcWJzemZiMXgwOWY1OHkwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw\nggEKAoIBAQC4hvpFU/mYaCKB38oc5psfEpswXha92xRJkXC2L4V9lrGx51Dor45g\nlxZYrePZdcOZqme39AIkKFzDxDeMMU6awIROC31fXZavxNe5OPGZCdE111Q4As2H\numJPgN/VAOwRYNMVW5E92qk4afYrqEAPXdbJsA8oG3Pw7mJA+Ut57BDenbYASZDB\nuLVy+LmCF38Q5+Ak7OYXgYwoTAWuBlDsQ2n1/ZzIBbF8MNjH7OVyYge7P2rlHQLg\n7m5l1yq+LWxNwxibLIXJmRbyroMOm4mJlZ0i004UeKnCfhbJlVXBQaGSl/zj0Dr/\nJ/Pgkmccn7OFe8uZH/Po67tIMM4BHSatAgMBAAGjIDAeMA4GA1UdDwEB/wQEAwIH\ngDAMBgNVHRMBAf8EAjAAMA0GCSqGSIb3DQEBCwUAA4IBAQBCEfemCgQ0rDshTKaH\nfrr4BcbIgOvgX7PHENkjPimBRRXE5G8DZx35WTrlP4gkuYbSnFeWIx/2yCWjDSrk\n6wa/6tjAjikA8OqCIxenwUoi2MqXkv/66wHBcZ3GlDgvA6Qak43oKBW9BjhOonR9\nk2dmZKEJaj5qahfD9h4xbCoiXt2lDlOwhcHpvSg8f+v8fIo0hJVzcCKo6IkbYRkl\nQ8NBrJ65joD+y/thBjvs+cmZcJAUGtUEJD8p2TaKCbSeZsCEkVxvaNQtpj5Wbzb2\nUGoquSJOTb6TF3SXwtZpv/b89A8xAoNNho4t548cErJhUl27r2OfeE9CJDvsBd07\nyD4h\n-----END CERTIFICATE-----\n",
        "next_expires_at": "2031-11-19T21:00:00Z",
        "former_certificate_pem": null,
        "former_expires_at": null
      }
    },
    "GetSamlKeys": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "response": {
        "state": "announced",
        "next_step": "take_over",
        "changed_at": "2026-11-20T21:00:00Z",
        "signing_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIIDLzCCAhegAwIBAgIRAKXRWQWmQ3ESlvFfPgGnjX8wDQYJKoZIhvcNAQELBQAw\nQjESMBAGA1UECgwJU2FsbHlwb3J0MSwwKgYDVQQDDCNlZGdodHNydF8wMW03eGM0\na2ttZXBxYnN6ZmIxeDA5ZjU4eTAeFw0yNjExMjAyMTAwMDBaFw0zMTExMTkyMTAw\nMDBaMEIxEjAQBgNVBAoMCVNhbGx5cG9ydDEsMCoGA1UEAwwjZWRnaHRzcnRfMDFt\nN3hjNGtrbWVwcWJzemZiMXgwOWY1OHkwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw\nggEKAoIBAQC0ATX8YN+IH677RtXrhFMMTJbHWbvVZu9D4X3wVUJrMglvEGixLSjV\n4Ap+hQiKeCYR+yZgL843H0mOALqamtCcCEkMbO4yMAIdTTilwwQwOobL+EM9hUZa\nSmKXrSw7JBLgAyKoBkrTYlO+QI8K43JU2JCVUUsPTaKfQnx3BUHTbEKnE29NhaGx\nCpMAVZ1KthdYX2KdQugrN4u5WT6LtsfpjnVCMA3kL6ibrmdWos/WWw3LA/biykcc\nKtcaaMYMR6NAegU301LOZG4+HqrOEeEgrkgWacpj5TRx3zjK9gl5dOPncGvgxnXM\nkVm8+TzB+qDZHAB9P00V4h3wzLY0eMGFAgMBAAGjIDAeMA4GA1UdDwEB/wQEAwIH\ngDAMBgNVHRMBAf8EAjAAMA0GCSqGSIb3DQEBCwUAA4IBAQB3zJ4mLt1fcHaQf11X\ng8JIOoPQM8dCO8NlfYQJ5brjl3XhTI5rDNV2HFmVDhYEsDAAOlFFVst6FJ1Fz39Z\nPDXG8e0omo8kSvWbyTZYNo6ddFx8UIXySZCipPgaqZIX3LCppEU1WI5ri/fUURmR\nRuvStV7X71ePZH5LNSXEDmr2Cv8KY9h5iF+Kn4P4dwg1VW74OPxzXMB1BRY74KCt\nUUI0nScPdmeIONIotQlDvBKJdsjceaHBgBKFOY6b05eJt5AcsZ2OTr5iR5tqVCGK\nvd8pQ2Z2LB/2+CeSPQEUUhJq/RblFTHPpDQYPVqaLdLRlrxl1UYf7i/luPUwQg7U\nJezO\n-----END CERTIFICATE-----\n",
        "signing_expires_at": "2031-11-19T21:00:00Z",
        "encryption_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIIDLzCCAhegAwIBAgIRAO+1Q4wW2E3iKfJsup6JiJwwDQYJKoZIhvcNAQELBQAw\nQjESMBAGA1UECgwJU2FsbHlwb3J0MSwwKgYDVQQDDCNlZGdodHNydF8wMW03eGM0\na2ttZXBxYnN6ZmIxeDA5ZjU4eTAeFw0yNjExMjAyMTAwMDBaFw0zMTExMTkyMTAw\nMDBaMEIxEjAQBgNVBAoMCVNhbGx5cG9ydDEsMCoGA1UEAwwjZWRnaHRzcnRfMDFt\nN3hjNGtrbWVwcWJzemZiMXgwOWY1OHkwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw\nggEKAoIBAQDLUtvrWB2ZQlxo9MWIbedudTS/4mJG7rSHPAFGciC3ozrdq9GnRjfH\nIMRf81kL7d6RPRITN38OqQDMPjr4x1dBfDQIIATnsE869rDYat1snx1qv95fxBLk\niS0SnDnFlJXLU1MipMDrC2mY6CpI6Ah95WY/xYd3U7LpaD1RryC2RgKMOJzd9MAL\nbS0uqudIAfw4lU2/eCzesZpGl8caIpq3KGhuw1VDj6eYUA6IXpcAOXvb0+/GYwV/\nNbJZ7FiuGJ9vvEAt3Xi0f2RiSflXKxJI2DB26oJYSml2vRG2+cuIXVmVDOFhRoj9\ng0JaA9im9qn90RplIzAIe6mbqfWOvcRbAgMBAAGjIDAeMA4GA1UdDwEB/wQEAwIF\nIDAMBgNVHRMBAf8EAjAAMA0GCSqGSIb3DQEBCwUAA4IBAQB+g2YIyNdggvkJuc8V\nuyxyqWpGCJ78f3X8IJFaAcMOADH5TcMx4/YZLQWeKev1BwZvM7XD1z0cXN5Ti/2s\n7KuMAMb8I5vWAcnow8dsuQfRcNs4hHn2LurRo2md8rB4luqi/2osoaCuOceJcvpQ\n6cvnIFFzddNWQCKpccS6nskIFbLBGOC04O4Z9ozxCaO5h9P7+Z/h6YY8Vdj/AKDY\nCad3QNboSZezwgwMcCKyuZ4iESnLoBGbqleCY+2oehH/UYQbYzz3f3H5UZ8B51W0\nPsbI+nBkm1IbEpp85bXNaITbwYCe8C271ic+laJW2hk0tqd9MnNph7hhrZUQI2XE\ncPPI\n-----END CERTIFICATE-----\n",
        "encryption_expires_at": "2031-11-19T21:00:00Z",
        "next_certificate_pem": "-----BEGIN CERTIFICATE-----\nMIIDLzCCAhegAwIBAgIRAMo5w1s+Ky54c5cJo+KLrM4wDQYJKoZIhvcNAQELBQAw\nQjESMBAGA1UECgwJU2FsbHlwb3J0MSwwKgYDVQQDDCNlZGdodHNydF8wMW03eGM0\na2ttZXBxYnN6ZmIxeDA5ZjU4eTAeFw0yNjExMjAyMTAwMDBaFw0zMTExMTkyMTAw\nMDBaMEIxEjAQBgNVBAoMCVNhbGx5cG9ydDEsMCoGA1UEAwwjZWRnaHRzcnRfMDFt\nN3hjNGtrbWVwcWJzemZiMXgwOWY1OHkwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw\nggEKAoIBAQC4hvpFU/mYaCKB38oc5psfEpswXha92xRJkXC2L4V9lrGx51Dor45g\nlxZYrePZdcOZqme39AIkKFzDxDeMMU6awIROC31fXZavxNe5OPGZCdE111Q4As2H\numJPgN/VAOwRYNMVW5E92qk4afYrqEAPXdbJsA8oG3Pw7mJA+Ut57BDenbYASZDB\nuLVy+LmCF38Q5+Ak7OYXgYwoTAWuBlDsQ2n1/ZzIBbF8MNjH7OVyYge7P2rlHQLg\n7m5l1yq+LWxNwxibLIXJmRbyroMOm4mJlZ0i004UeKnCfhbJlVXBQaGSl/zj0Dr/\nJ/Pgkmccn7OFe8uZH/Po67tIMM4BHSatAgMBAAGjIDAeMA4GA1UdDwEB/wQEAwIH\ngDAMBgNVHRMBAf8EAjAAMA0GCSqGSIb3DQEBCwUAA4IBAQBCEfemCgQ0rDshTKaH\nfrr4BcbIgOvgX7PHENkjPimBRRXE5G8DZx35WTrlP4gkuYbSnFeWIx/2yCWjDSrk\n6wa/6tjAjikA8OqCIxenwUoi2MqXkv/66wHBcZ3GlDgvA6Qak43oKBW9BjhOonR9\nk2dmZKEJaj5qahfD9h4xbCoiXt2lDlOwhcHpvSg8f+v8fIo0hJVzcCKo6IkbYRkl\nQ8NBrJ65joD+y/thBjvs+cmZcJAUGtUEJD8p2TaKCbSeZsCEkVxvaNQtpj5Wbzb2\nUGoquSJOTb6TF3SXwtZpv/b89A8xAoNNho4t548cErJhUl27r2OfeE9CJDvsBd07\nyD4h\n-----END CERTIFICATE-----\n",
        "next_expires_at": "2031-11-19T21:00:00Z",
        "former_certificate_pem": null,
        "former_expires_at": null
      }
    },
    "ReplaceOidcModule": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfd6jna30fb"
      },
      "request": {
        "issuer": "https://idp.example.com",
        "client_id": "sallyport",
        "client_secret": "a secret"
      },
      "response": {
        "enabled": true,
        "options_passthrough": false,
        "cookie_prefix": "sallyport.",
        "inactivity_timeout": 0,
        "maximum_duration": 0,
        "issuer": "https://idp.example.com",
        "client_id": "sallyport",
        "client_secret": "",
        "login_route_id": null,
        "scopes": [
          "email",
          "profile"
        ],
        "authorized_groups": [],
        "authorized_email_domains": [],
        "groups_claim": "groups",
        "email_verification": "required",
        "redirect_url": "https://sallyport.example.com/oidc/edghtsrt_01m7xc4kkmepqbszfd6jna30fb/callback",
        "backchannel_logout_url": "https://sallyport.example.com/oidc/edghtsrt_01m7xc4kkmepqbszfd6jna30fb/backchannel-logout"
      }
    },
    "GetOidcModule": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfd6jna30fb"
      },
      "response": {
        "enabled": true,
        "options_passthrough": false,
        "cookie_prefix": "sallyport.",
        "inactivity_timeout": 0,
        "maximum_duration": 0,
        "issuer": "https://idp.example.com",
        "client_id": "sallyport",
        "client_secret": "",
        "login_route_id": null,
        "scopes": [
          "email",
          "profile"
        ],
        "authorized_groups": [],
        "authorized_email_domains": [],
        "groups_claim": "groups",
        "email_verification": "required",
        "redirect_url": "https://sallyport.example.com/oidc/edghtsrt_01m7xc4kkmepqbszfd6jna30fb/callback",
        "backchannel_logout_url": "https://sallyport.example.com/oidc/edghtsrt_01m7xc4kkmepqbszfd6jna30fb/backchannel-logout"
      }
    },
    "ReplaceHttpsEdgeRouteIpRestriction": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "request": {
        "mode": "suffice",
        "ip_policy_ids": [
          "ipp_01m7xc4kkmepqbsze2fned00pw"
        ]
      },
      "response": {
        "enabled": true,
        "mode": "suffice",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
          }
        ]
      }
    },
    "GetHttpsEdgeRouteIpRestriction": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "response": {
        "enabled": true,
        "mode": "suffice",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
          }
        ]
      }
    },
    "ReplaceHttpsEdgeRouteBackend": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "request": {
        "backend_id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
      },
      "response": {
        "enabled": true,
        "backend": {
          "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
          "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
        }
      }
    },
    "GetHttpsEdgeRouteBackend": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      },
      "response": {
        "enabled": true,
        "backend": {
          "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
          "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
        }
      }
    },
    "CreateTlsEdge": {
      "path": {},
      "request": {
        "hostports": [
          "shop.example.com:443"
        ]
      },
      "response": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx",
        "uri": "https://sallyport.example.com/edges/tls/edgtls_01m7xc4kkmepqbszfje9xx40mx",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "hostports": [
          "shop.example.com:443"
        ],
        "backend": null,
        "policy": null,
        "ip_restriction": null
      }
    },
    "GetTlsEdge": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "response": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx",
        "uri": "https://sallyport.example.com/edges/tls/edgtls_01m7xc4kkmepqbszfje9xx40mx",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "hostports": [
          "shop.example.com:443"
        ],
        "backend": null,
        "policy": null,
        "ip_restriction": null
      }
    },
    "ListTlsEdges": {
      "path": {},
      "response": {
        "tls_edges": [
          {
            "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx",
            "uri": "https://sallyport.example.com/edges/tls/edgtls_01m7xc4kkmepqbszfje9xx40mx",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "",
            "metadata": "",
            "hostports": [
              "shop.example.com:443"
            ],
            "backend": null,
            "policy": null,
            "ip_restriction": null
          }
        ],
        "uri": "https://sallyport.example.com/edges/tls",
        "next_page_uri": null
      }
    },
    "UpdateTlsEdge": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "request": {
        "description": "The shop"
      },
      "response": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx",
        "uri": "https://sallyport.example.com/edges/tls/edgtls_01m7xc4kkmepqbszfje9xx40mx",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "The shop",
        "metadata": "",
        "hostports": [
          "shop.example.com:443"
        ],
        "backend": null,
        "policy": null,
        "ip_restriction": null
      }
    },
    "ReplaceTlsEdgeBackend": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "request": {
        "backend_id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
      },
      "response": {
        "enabled": true,
        "backend": {
          "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
          "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
        }
      }
    },
    "GetTlsEdgeBackend": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "response": {
        "enabled": true,
        "backend": {
          "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb",
          "uri": "https://sallyport.example.com/backends/tunnel_group/bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
        }
      }
    },
    "ReplaceTlsEdgePolicy": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "request": {
        "inbound": [
          {
            "name": "log",
            "expressions": [
              "conn.tls.version == '1.0'"
            ],
            "actions": [
              {
                "type": "log",
                "config": {
                  "metadata": {
                    "edge": "shop"
                  }
                }
              }
            ]
          }
        ]
      },
      "response": {
        "enabled": true,
        "inbound": [
          {
            "name": "log",
            "expressions": [
              "conn.tls.version == '1.0'"
            ],
            "actions": [
              {
                "type": "log",
                "config": {
                  "metadata": {
                    "edge": "shop"
                  }
                }
              }
            ]
          }
        ],
        "outbound": null
      }
    },
    "GetTlsEdgePolicy": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "response": {
        "enabled": true,
        "inbound": [
          {
            "name": "log",
            "expressions": [
              "conn.tls.version == '1.0'"
            ],
            "actions": [
              {
                "type": "log",
                "config": {
                  "metadata": {
                    "edge": "shop"
                  }
                }
              }
            ]
          }
        ],
        "outbound": null
      }
    },
    "ReplaceTlsEdgeIpRestriction": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "request": {
        "ip_policy_ids": [
          "ipp_01m7xc4kkmepqbsze2fned00pw"
        ]
      },
      "response": {
        "enabled": true,
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
          }
        ]
      }
    },
    "GetTlsEdgeIpRestriction": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      },
      "response": {
        "enabled": true,
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbsze2fned00pw",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbsze2fned00pw"
          }
        ]
      }
    },
    "CreateExpectation": {
      "path": {},
      "request": {
        "name": "The office may use the wiki",
        "kind": "gate",
        "expected": "login",
        "address": "203.0.113.7",
        "https_edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "url": "https://wiki.example.com/"
      },
      "response": {
        "id": "exp_01m7xc4kkmepqbszfm931wm36s",
        "uri": "https://sallyport.example.com/expectations/exp_01m7xc4kkmepqbszfm931wm36s",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "name": "The office may use the wiki",
        "kind": "gate",
        "expected": "login",
        "address": "203.0.113.7",
        "traffic_type": "",
        "https_edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "url": "https://wiki.example.com/",
        "method": "GET",
        "signed_in": false,
        "groups": [],
        "tls_edge_id": null,
        "server_name": "",
        "logged": null,
        "host_name": "",
        "ssh_certificate_authority_id": null,
        "state": {
          "met": false,
          "outcome": "refused",
          "logged": null
        }
      }
    },
    "GetExpectation": {
      "path": {
        "id": "exp_01m7xc4kkmepqbszfm931wm36s"
      },
      "response": {
        "id": "exp_01m7xc4kkmepqbszfm931wm36s",
        "uri": "https://sallyport.example.com/expectations/exp_01m7xc4kkmepqbszfm931wm36s",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "name": "The office may use the wiki",
        "kind": "gate",
        "expected": "login",
        "address": "203.0.113.7",
        "traffic_type": "",
        "https_edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "url": "https://wiki.example.com/",
        "method": "GET",
        "signed_in": false,
        "groups": [],
        "tls_edge_id": null,
        "server_name": "",
        "logged": null,
        "host_name": "",
        "ssh_certificate_authority_id": null,
        "state": {
          "met": false,
          "outcome": "refused",
          "logged": null
        }
      }
    },
    "ListExpectations": {
      "path": {},
      "response": {
        "expectations": [
          {
            "id": "exp_01m7xc4kkmepqbszfm931wm36s",
            "uri": "https://sallyport.example.com/expectations/exp_01m7xc4kkmepqbszfm931wm36s",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "",
            "metadata": "",
            "name": "The office may use the wiki",
            "kind": "gate",
            "expected": "login",
            "address": "203.0.113.7",
            "traffic_type": "",
            "https_edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
            "url": "https://wiki.example.com/",
            "method": "GET",
            "signed_in": false,
            "groups": [],
            "tls_edge_id": null,
            "server_name": "",
            "logged": null,
            "host_name": "",
            "ssh_certificate_authority_id": null,
            "state": {
              "met": false,
              "outcome": "refused",
              "logged": null
            }
          }
        ],
        "uri": "https://sallyport.example.com/expectations",
        "next_page_uri": null
      }
    },
    "UpdateExpectation": {
      "path": {
        "id": "exp_01m7xc4kkmepqbszfm931wm36s"
      },
      "request": {
        "method": "POST",
        "description": "Pages are edited, too"
      },
      "response": {
        "id": "exp_01m7xc4kkmepqbszfm931wm36s",
        "uri": "https://sallyport.example.com/expectations/exp_01m7xc4kkmepqbszfm931wm36s",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Pages are edited, too",
        "metadata": "",
        "name": "The office may use the wiki",
        "kind": "gate",
        "expected": "login",
        "address": "203.0.113.7",
        "traffic_type": "",
        "https_edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "url": "https://wiki.example.com/",
        "method": "POST",
        "signed_in": false,
        "groups": [],
        "tls_edge_id": null,
        "server_name": "",
        "logged": null,
        "host_name": "",
        "ssh_certificate_authority_id": null,
        "state": {
          "met": false,
          "outcome": "refused",
          "logged": null
        }
      }
    },
    "CreateWebhook": {
      "path": {},
      "request": {
        "url": "https://127.0.0.1:9/hook",
        "events": [
          "ip_policy.*",
          "request.refuse"
        ],
        "description": "Chat of operations"
      },
      "response": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167",
        "uri": "https://sallyport.example.com/webhooks/whk_01m7xc4kkmepqbszfvhyv92167",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Chat of operations",
        "metadata": "",
        "url": "https://127.0.0.1:9/hook",
        "format": "standard",
        "events": [
          "ip_policy.*",
          "request.refuse"
        ],
        "object_ids": [],
        "enabled": true,
        "former_secret_until": null,
        "secret": "whsec_/QOtyykcAKThXwwyXZ0rrmYe9tTalXMxKbJEYmGUwtM="
      }
    },
    "GetWebhook": {
      "path": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167"
      },
      "response": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167",
        "uri": "https://sallyport.example.com/webhooks/whk_01m7xc4kkmepqbszfvhyv92167",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Chat of operations",
        "metadata": "",
        "url": "https://127.0.0.1:9/hook",
        "format": "standard",
        "events": [
          "ip_policy.*",
          "request.refuse"
        ],
        "object_ids": [],
        "enabled": true,
        "former_secret_until": null,
        "secret": null
      }
    },
    "ListWebhooks": {
      "path": {},
      "response": {
        "webhooks": [
          {
            "id": "whk_01m7xc4kkmepqbszfvhyv92167",
            "uri": "https://sallyport.example.com/webhooks/whk_01m7xc4kkmepqbszfvhyv92167",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Chat of operations",
            "metadata": "",
            "url": "https://127.0.0.1:9/hook",
            "format": "standard",
            "events": [
              "ip_policy.*",
              "request.refuse"
            ],
            "object_ids": [],
            "enabled": true,
            "former_secret_until": null,
            "secret": null
          }
        ],
        "uri": "https://sallyport.example.com/webhooks",
        "next_page_uri": null
      }
    },
    "UpdateWebhook": {
      "path": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167"
      },
      "request": {
        "events": [
          "*"
        ]
      },
      "response": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167",
        "uri": "https://sallyport.example.com/webhooks/whk_01m7xc4kkmepqbszfvhyv92167",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Chat of operations",
        "metadata": "",
        "url": "https://127.0.0.1:9/hook",
        "format": "standard",
        "events": [
          "*"
        ],
        "object_ids": [],
        "enabled": true,
        "former_secret_until": null,
        "secret": null
      }
    },
    "ResendWebhookDeliveries": {
      "path": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167"
      },
      "request": {},
      "response": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167",
        "uri": "https://sallyport.example.com/webhooks/whk_01m7xc4kkmepqbszfvhyv92167",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Chat of operations",
        "metadata": "",
        "url": "https://127.0.0.1:9/hook",
        "format": "standard",
        "events": [
          "*"
        ],
        "object_ids": [],
        "enabled": true,
        "former_secret_until": null,
        "secret": null
      }
    },
    "ListWebhookDeliveries": {
      "path": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167"
      },
      "response": {
        "delivered_at": null,
        "failing_since": null,
        "delivery_count": 1,
        "deliveries": [
          {
            "cursor": "msg_5940f9d76373b856cdeabb0922005edc.1795208400500",
            "message_id": "msg_5940f9d76373b856cdeabb0922005edc",
            "type": "ping",
            "object_id": "msg_5940f9d76373b856cdeabb0922005edc",
            "state": "waiting",
            "attempts": 0,
            "tried_at": null,
            "next_at": "2026-11-20T21:00:00Z",
            "status": null,
            "answer": "",
            "failure": null
          }
        ]
      }
    },
    "PingWebhook": {
      "path": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167"
      },
      "request": {},
      "response": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167",
        "uri": "https://sallyport.example.com/webhooks/whk_01m7xc4kkmepqbszfvhyv92167",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Chat of operations",
        "metadata": "",
        "url": "https://127.0.0.1:9/hook",
        "format": "standard",
        "events": [
          "*"
        ],
        "object_ids": [],
        "enabled": true,
        "former_secret_until": null,
        "secret": null
      }
    },
    "RotateWebhookSecret": {
      "path": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167"
      },
      "request": {
        "overlap_seconds": 3600
      },
      "response": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167",
        "uri": "https://sallyport.example.com/webhooks/whk_01m7xc4kkmepqbszfvhyv92167",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Chat of operations",
        "metadata": "",
        "url": "https://127.0.0.1:9/hook",
        "format": "standard",
        "events": [
          "*"
        ],
        "object_ids": [],
        "enabled": true,
        "former_secret_until": "2026-11-20T22:00:00Z",
        "secret": "whsec_w+N1haZfxfIrZs/OlZP1RIoITZL+0M8CISr3H1CtaRQ="
      }
    },
    "ApplyConfiguration": {
      "path": {},
      "request": {
        "document": {
          "ipPolicies": {
            "office": {
              "description": "Berlin and the VPN",
              "rules": [
                {
                  "cidr": "203.0.113.0/24",
                  "action": "allow"
                }
              ]
            }
          }
        }
      },
      "response": {
        "plan": {
          "document": "main",
          "digest": "fHOS5TZZde69YqJyhI8oxJ3HNURpLmrdL0bHN9pHoe8",
          "requests": 2,
          "changes": [
            {
              "action": "create",
              "kind": "IpPolicy",
              "name": "office",
              "id": null,
              "fields": [
                {
                  "field": "description",
                  "before": null,
                  "after": "Berlin and the VPN"
                },
                {
                  "field": "rules[203.0.113.0/24]",
                  "before": null,
                  "after": {
                    "cidr": "203.0.113.0/24",
                    "action": "allow"
                  }
                }
              ]
            }
          ],
          "asks": [],
          "left": [],
          "access": [],
          "refusals": []
        },
        "shown_once": []
      }
    },
    "ImportConfiguration": {
      "path": {},
      "request": {
        "document": {
          "ipPolicies": {
            "offices": {}
          }
        }
      },
      "response": {
        "objects": [],
        "plan": {
          "document": "main",
          "digest": "LllieS5byDSpliVKH4NomAgnseTAvV7HplzWMiD-oMA",
          "requests": 1,
          "changes": [
            {
              "action": "create",
              "kind": "IpPolicy",
              "name": "offices",
              "id": null,
              "fields": []
            }
          ],
          "asks": [],
          "left": [
            {
              "kind": "IpPolicy",
              "name": "office"
            }
          ],
          "access": [],
          "refusals": []
        }
      }
    },
    "CreateSshChallenge": {
      "path": {},
      "request": {
        "ssh_host_certificate_id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd"
      },
      "response": {
        "challenge": "sallyport-challenge-v1 https://sallyport.example.com shcrt_01m7xc4kkmepqbszevd9ahq5xd 2026-11-20T21:05:00Z CU51xSDDX-Smnc6nO8VA8O9Q1KDO5NMclvelTY49aIKtpLlUV1RQ17nkP8ApysyX",
        "expires_at": "2026-11-20T21:05:00Z"
      }
    },
    "EnrollSshHost": {
      "path": {},
      "request": {
        "token": "sshet_KoIydpgqMs4GdCpU9sTHVzoOKFSXO0bN0pUAoJyFs7I1a4748e1",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO9xhFdnlqfcpvXu2hEnTICcX0QC1Ig4R/6xd1na/e0j",
        "principals": [
          "db1.db.example.com"
        ],
        "description": "Database host 1",
        "challenge": "sallyport-challenge-v1 https://sallyport.example.com sshenr_01m7xc4kkmepqbszggr74nkvw4 2026-11-20T21:05:00Z TUBKMjrgnPPVf0--wNjBseRV0LCJEFguKICPrrURxfuIypGuW4aHhmTCYH_ZxUOJ",
        "signature": "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg73GEV2eWp9ym9e7aESdMgJxfRA\nLUiDhH/rF3Wdr97SMAAAAQc2FsbHlwb3J0LWVucm9sbAAAAAAAAAAGc2hhNTEyAAAAUwAA\nAAtzc2gtZWQyNTUxOQAAAEBbeqKbyNMV1+mIFJC6fKSbVE4RSyweT2ZnlVPqbRt7ChfEuB\nk64BnLEA64KTxtFyQBR0LQ6EEuStur6ooUedcD\n-----END SSH SIGNATURE-----\n"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszgqkjaf4thq",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszgqkjaf4thq",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Database host 1",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO9xhFdnlqfcpvXu2hEnTICcX0QC1Ig4R/6xd1na/e0j",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszgeq158pcfy",
        "principals": [
          "db1.db.example.com"
        ],
        "valid_after": "2026-11-20T21:00:00Z",
        "valid_until": "2027-02-18T21:00:00Z",
        "certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIPKXxqCgti4Hplc5W3PzgU8Mwb3c3fwa31lksN3OqH1lAAAAIO9xhFdnlqfcpvXu2hEnTICcX0QC1Ig4R/6xd1na/e0jSsbgrOJifccAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3pmNms2M3N3Y3I5AAAAFgAAABJkYjEuZGIuZXhhbXBsZS5jb20AAAAAawC00AAAAABrd1vQAAAAAAAAAAAAAAAAAAAAMwAAAAtzc2gtZWQyNTUxOQAAACCaw7u67jnYRV3QY9XMCEevPW830+qiy1J7kOdK9m08xQAAAFMAAAALc3NoLWVkMjU1MTkAAABAkz7q5PeuERT/R1h/PhheckqgAAUFXeOpa092x1ClkVqHPiuXBHJjfdvr0cIZ/K/Z09nxf5WaBu2CBfnJ/8q5Cg== shcrt_01m7xc4kkmepqbszf6k63swcr9",
        "known_hosts": "@cert-authority * ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJrDu7ruOdhFXdBj1cwIR689bzfT6qLLUnuQ50r2bTzF\n",
        "revocation_list_url": "https://sallyport.example.com/ssh/krl/acct_01m7xc4kkmepqbszdcx7r5v8ch"
      }
    },
    "RenewSshHostCertificate": {
      "path": {
        "id": "shcrt_01m7xc4kkmepqbszgw0b5s1z4r"
      },
      "request": {
        "challenge": "sallyport-challenge-v1 https://sallyport.example.com shcrt_01m7xc4kkmepqbszgw0b5s1z4r 2026-11-20T21:05:00Z LNt6mazaHkuinaE9-k-mblfgKWR48qdJoOcKBKcJxXP0rf20sDNDB0Ko1U79exf3",
        "signature": "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgOTBeW1SIS4nJ8QRiOAR7M5cnf6\n38/jhiPIXqIWexIJ0AAAAPc2FsbHlwb3J0LXJlbmV3AAAAAAAAAAZzaGE1MTIAAABTAAAA\nC3NzaC1lZDI1NTE5AAAAQIIztcBF1pE4hT1cC0RsKE8GZFUL6M/8NAZDqM2n4suAr4V4GL\nU7BXUOHos2ZI3iYdXkJ2UdKncz/P/Gm1dgcQg=\n-----END SSH SIGNATURE-----\n"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszh349h4ybck",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszh349h4ybck",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDkwXltUiEuJyfEEYjgEezOXJ3+t/P44YjyF6iFnsSCd",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszgtn4wt6xp5",
        "principals": [
          "db1.example.com"
        ],
        "valid_after": "2026-11-20T21:00:00Z",
        "valid_until": "2027-02-19T20:55:00Z",
        "certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIJ6c4uUbFZljToNk9IgZtKfcAyM1x75wFBljXrvsEz2NAAAAIDkwXltUiEuJyfEEYjgEezOXJ3+t/P44YjyF6iFnsSCdfQOtyykcAKQAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3pmcWh5djkyMTY3AAAAEwAAAA9kYjEuZXhhbXBsZS5jb20AAAAAawC00AAAAABreK1QAAAAAAAAAAAAAAAAAAAAMwAAAAtzc2gtZWQyNTUxOQAAACCQe1WJ4iX7vU0ETHcCtS08jRrV7C4PjHtKsu0hpV2uKwAAAFMAAAALc3NoLWVkMjU1MTkAAABADsZYfPMa96PsCeejDVDm6efbVMfMGnuldUyf0wDpFdYgFhzyF/u8z7aC/yBN1pv9nooRnCoSEnEQk0/QyqgDDA== shcrt_01m7xc4kkmepqbszfqhyv92167",
        "known_hosts": "@cert-authority * ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJB7VYniJfu9TQRMdwK1LTyNGtXsLg+Me0qy7SGlXa4r\n",
        "revocation_list_url": "https://sallyport.example.com/ssh/krl/acct_01m7xc4kkmepqbszdcx7r5v8ch"
      }
    },
    "GetAuditEvent": {
      "path": {
        "id": "evt_01m7xc4kkme0fvmhj6e0csd64y"
      },
      "response": {
        "id": "evt_01m7xc4kkme0fvmhj6e0csd64y",
        "uri": "https://sallyport.example.com/audit_events/evt_01m7xc4kkme0fvmhj6e0csd64y",
        "created_at": "2026-11-20T21:00:00Z",
        "action": "create",
        "kind": "IpPolicyRule",
        "object_id": "whk_01m7xc4kkmepqbszfvhyv92167",
        "version": 1,
        "actor": {
          "type": "api_key",
          "id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
          "api_key_id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
          "description": "key of default"
        },
        "surface": "rest",
        "request_id": "op_01m7xc4kkmekv9sbqs9bxx3jyg",
        "client_address": "127.0.0.1",
        "changes": [
          {
            "field": "ipPolicyId",
            "before": null,
            "after": "2026-11-20T22:00:00.500Z",
            "shortened": false
          },
          {
            "field": "cidr",
            "before": null,
            "after": "203.0.113.0/24",
            "shortened": false
          },
          {
            "field": "action",
            "before": null,
            "after": "allow",
            "shortened": false
          },
          {
            "field": "description",
            "before": null,
            "after": "",
            "shortened": false
          },
          {
            "field": "metadata",
            "before": null,
            "after": "",
            "shortened": false
          },
          {
            "field": "createdAt",
            "before": null,
            "after": "2026-11-20T21:00:00.500Z",
            "shortened": false
          }
        ],
        "refusal": null
      }
    },
    "ListAuditEvents": {
      "path": {},
      "response": {
        "audit_events": [
          {
            "id": "evt_01m7xc4kkme0fvmhm6ew1p8vmn",
            "uri": "https://sallyport.example.com/audit_events/evt_01m7xc4kkme0fvmhm6ew1p8vmn",
            "created_at": "2026-11-20T21:00:00Z",
            "action": "create",
            "kind": "SshHostCertificate",
            "object_id": "shcrt_01m7xc4kkmepqbszh349h4ybck",
            "version": 1,
            "actor": {
              "type": "api_key",
              "id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
              "api_key_id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
              "description": "key of default"
            },
            "surface": "rest",
            "request_id": "op_01m7xc4kkmekv9sbt9h2zfmawx",
            "client_address": "127.0.0.1",
            "changes": [
              {
                "field": "description",
                "before": null,
                "after": "",
                "shortened": false
              },
              {
                "field": "metadata",
                "before": null,
                "after": "",
                "shortened": false
              },
              {
                "field": "createdAt",
                "before": null,
                "after": "2026-11-20T21:00:00.500Z",
                "shortened": false
              },
              {
                "field": "sshCertificateAuthorityId",
                "before": null,
                "after": "sshca_01m7xc4kkmepqbszgtn4wt6xp5",
                "shortened": false
              },
              {
                "field": "publicKey",
                "before": null,
                "after": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDkwXltUiEuJyfEEYjgEezOXJ3+t/P44YjyF6iFnsSCd",
                "shortened": false
              },
              {
                "field": "keyType",
                "before": null,
                "after": "ed25519",
                "shortened": false
              },
              {
                "field": "principals",
                "before": null,
                "after": [
                  "db1.example.com"
                ],
                "shortened": false
              },
              {
                "field": "validAfter",
                "before": null,
                "after": "2026-11-20T21:00:00.000Z",
                "shortened": false
              },
              {
                "field": "validUntil",
                "before": null,
                "after": "2027-02-19T20:55:00.000Z",
                "shortened": false
              },
              {
                "field": "serial",
                "before": null,
                "after": "3846671397401368800",
                "shortened": false
              },
              {
                "field": "certificate",
                "before": null,
                "after": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIJ6c4uUbFZljToNk9IgZtKfcAyM1x75wFBljXrvsEz2NAAAAIDkwXltUiEuJyfEEYjgEezOXJ3+t/P44YjyF6iFnsSCdfQOtyykcAKQAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3pmcWh5djkyMTY3AAAAEwAAAA9kYjE…",
                "shortened": true
              }
            ],
            "refusal": null
          },
          {
            "id": "evt_01m7xc4kkme0fvmhm0j94me571",
            "uri": "https://sallyport.example.com/audit_events/evt_01m7xc4kkme0fvmhm0j94me571",
            "created_at": "2026-11-20T21:00:00Z",
            "action": "update",
            "kind": "SshHostCertificate",
            "object_id": "shcrt_01m7xc4kkmepqbszgw0b5s1z4r",
            "version": 2,
            "actor": {
              "type": "api_key",
              "id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
              "api_key_id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
              "description": "key of default"
            },
            "surface": "rest",
            "request_id": "op_01m7xc4kkmekv9sbt9h2zfmawx",
            "client_address": "127.0.0.1",
            "changes": [
              {
                "field": "replacedById",
                "before": null,
                "after": "shcrt_01m7xc4kkmepqbszh349h4ybck",
                "shortened": false
              }
            ],
            "refusal": null
          }
        ],
        "uri": "https://sallyport.example.com/audit_events",
        "next_page_uri": "https://sallyport.example.com/audit_events?limit=2&before_id=evt_01m7xc4kkme0fvmhm0j94me571"
      }
    },
    "GetAuditCheckpoint": {
      "path": {
        "id": "ackp_01m7xc4kkmepqbszdcx7r5v8ch"
      },
      "response": {
        "id": "ackp_01m7xc4kkmepqbszdcx7r5v8ch",
        "uri": "https://sallyport.example.com/audit_checkpoints/ackp_01m7xc4kkmepqbszdcx7r5v8ch",
        "created_at": "2026-11-20T21:00:00Z",
        "account_id": "acct_01m7xc4kkmepqbszdcx7r5v8ch",
        "number": 0,
        "size": 3,
        "digest": "5feceb66",
        "head": "6b86b273",
        "signature": "c2lnbmF0dXJl",
        "public_key": "-----BEGIN PUBLIC KEY-----"
      }
    },
    "ListAuditCheckpoints": {
      "path": {},
      "response": {
        "audit_checkpoints": [
          {
            "id": "ackp_01m7xc4kkmepqbszdcx7r5v8ch",
            "uri": "https://sallyport.example.com/audit_checkpoints/ackp_01m7xc4kkmepqbszdcx7r5v8ch",
            "created_at": "2026-11-20T21:00:00Z",
            "account_id": "acct_01m7xc4kkmepqbszdcx7r5v8ch",
            "number": 0,
            "size": 3,
            "digest": "5feceb66",
            "head": "6b86b273",
            "signature": "c2lnbmF0dXJl",
            "public_key": "-----BEGIN PUBLIC KEY-----"
          }
        ],
        "uri": "https://sallyport.example.com/audit_checkpoints",
        "next_page_uri": null
      }
    },
    "PlanUndo": {
      "path": {
        "id": "op_01m7xc4kkmekv9sbrb85wxdjt3"
      },
      "response": {
        "objects": [
          {
            "action": "delete",
            "kind": "TunnelGroupBackend",
            "id": "bkdtg_01m7xc4kkmepqbszfw1bte0ydg",
            "name": "\"to be undone\""
          }
        ],
        "refusals": []
      }
    },
    "UndoRequest": {
      "path": {
        "id": "op_01m7xc4kkmekv9sbrb85wxdjt3"
      },
      "request": {},
      "response": {
        "request_id": "op_01m7xc4kkmekv9sbv0tcbgmb6g",
        "objects": [
          {
            "action": "delete",
            "kind": "TunnelGroupBackend",
            "id": "bkdtg_01m7xc4kkmepqbszfzhax352hr",
            "name": "\"to be undone\""
          }
        ]
      }
    },
    "GetPerson": {
      "path": {
        "id": "person_01m7xc4kkmepqbszg29639wv7r"
      },
      "response": {
        "id": "person_01m7xc4kkmepqbszg29639wv7r",
        "uri": "https://sallyport.example.com/people/person_01m7xc4kkmepqbszg29639wv7r",
        "created_at": "2026-11-20T21:00:00Z",
        "name": "Amy",
        "email": "amy@example.com",
        "subject": "amy-1",
        "groups": [
          "staff"
        ],
        "roles": [],
        "provider": null,
        "blocked": false,
        "signed_in_at": "2026-11-20T21:00:00Z",
        "last_seen_at": "2026-11-20T21:00:00Z"
      }
    },
    "BlockPerson": {
      "path": {
        "id": "person_01m7xc4kkmepqbszg29639wv7r"
      },
      "request": {},
      "response": {
        "id": "person_01m7xc4kkmepqbszg29639wv7r",
        "uri": "https://sallyport.example.com/people/person_01m7xc4kkmepqbszg29639wv7r",
        "created_at": "2026-11-20T21:00:00Z",
        "name": "Amy",
        "email": "amy@example.com",
        "subject": "amy-1",
        "groups": [
          "staff"
        ],
        "roles": [],
        "provider": null,
        "blocked": true,
        "signed_in_at": "2026-11-20T21:00:00Z",
        "last_seen_at": "2026-11-20T21:00:00Z"
      }
    },
    "UnblockPerson": {
      "path": {
        "id": "person_01m7xc4kkmepqbszg29639wv7r"
      }
    },
    "ListPeople": {
      "path": {},
      "response": {
        "people": [
          {
            "id": "person_01m7xc4kkmepqbszg29639wv7r",
            "uri": "https://sallyport.example.com/people/person_01m7xc4kkmepqbszg29639wv7r",
            "created_at": "2026-11-20T21:00:00Z",
            "name": "Amy",
            "email": "amy@example.com",
            "subject": "amy-1",
            "groups": [
              "staff"
            ],
            "roles": [],
            "provider": null,
            "blocked": false,
            "signed_in_at": "2026-11-20T21:00:00Z",
            "last_seen_at": "2026-11-20T21:00:00Z"
          }
        ],
        "uri": "https://sallyport.example.com/people",
        "next_page_uri": null
      }
    },
    "DeleteWebhook": {
      "path": {
        "id": "whk_01m7xc4kkmepqbszfvhyv92167"
      }
    },
    "DeleteExpectation": {
      "path": {
        "id": "exp_01m7xc4kkmepqbszfm931wm36s"
      }
    },
    "DeleteTlsEdgeIpRestriction": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      }
    },
    "DeleteTlsEdgePolicy": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      }
    },
    "DeleteTlsEdgeBackend": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      }
    },
    "DeleteTlsEdge": {
      "path": {
        "id": "edgtls_01m7xc4kkmepqbszfje9xx40mx"
      }
    },
    "DeleteHttpsEdgeRouteBackend": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      }
    },
    "DeleteHttpsEdgeRouteIpRestriction": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      }
    },
    "DeleteOidcModule": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfd6jna30fb"
      }
    },
    "DeleteSamlModule": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      }
    },
    "DeleteHttpsEdgeRoute": {
      "path": {
        "edge_id": "edghts_01m7xc4kkmepqbszf4ya04nxqv",
        "id": "edghtsrt_01m7xc4kkmepqbszfb1x09f58y"
      }
    },
    "DeleteHttpsEdge": {
      "path": {
        "id": "edghts_01m7xc4kkmepqbszf4ya04nxqv"
      }
    },
    "DeleteTunnelGroupBackend": {
      "path": {
        "id": "bkdtg_01m7xc4kkmepqbszf1xdshvfrb"
      }
    },
    "DeleteSshEnrollmentToken": {
      "path": {
        "id": "sshenr_01m7xc4kkmepqbszezhxzhmj5c"
      }
    },
    "DeleteSshHostCertificate": {
      "path": {
        "id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd"
      }
    },
    "DeleteSshCertificateAuthority": {
      "path": {
        "id": "sshca_01m7xc4kkmepqbszemb728pdbr"
      }
    },
    "DeleteIpRestriction": {
      "path": {
        "id": "ipx_01m7xc4kkmepqbszej3q5nv2ec"
      }
    },
    "DeleteIpPolicySource": {
      "path": {
        "id": "ips_01m7xc4kkmepqbszefg7sgxcq1"
      }
    },
    "DeleteIpPolicyRule": {
      "path": {
        "id": "ipr_01m7xc4kkmepqbsze8x2na8mv3"
      }
    },
    "DeleteIpPolicy": {
      "path": {
        "id": "ipp_01m7xc4kkmepqbsze2fned00pw"
      }
    },
    "DeleteSignInProvider": {
      "path": {
        "id": "sip_01m7xc4kkmepqbszdyd9vgegdr"
      }
    },
    "DeleteRole": {
      "path": {
        "id": "role_01m7xc4kkmepqbszdv6cf1scfe"
      }
    },
    "DeleteApiKey": {
      "path": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma"
      }
    },
    "ListSshRevocations": {
      "path": {},
      "response": {
        "ssh_revocations": [
          {
            "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
            "serial": "9043297977356235924",
            "ssh_host_certificate_id": "shcrt_01m7xc4kkmepqbszevd9ahq5xd",
            "valid_until": "2027-11-20T21:00:00Z",
            "revoked_at": "2026-11-20T21:00:00Z"
          },
          {
            "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
            "serial": "5798101185700878358",
            "ssh_host_certificate_id": "shcrt_01m7xc4kkmepqbszg7s5vpykmc",
            "valid_until": "2027-11-20T21:00:00Z",
            "revoked_at": "2026-11-20T21:00:00Z"
          },
          {
            "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbszemb728pdbr",
            "serial": "1430844882063474992",
            "ssh_host_certificate_id": "shcrt_01m7xc4kkmepqbszgazsaede5j",
            "valid_until": "2027-11-20T21:00:00Z",
            "revoked_at": "2026-11-20T21:00:00Z"
          }
        ],
        "uri": "https://sallyport.example.com/ssh_revocations",
        "next_page_uri": null
      }
    },
    "ExportConfiguration": {
      "path": {},
      "response": {
        "document": {
          "ipPolicies": {
            "ip-policy": {},
            "office": {
              "description": "Berlin and the VPN",
              "rules": [
                {
                  "cidr": "203.0.113.0/24",
                  "action": "allow"
                }
              ]
            }
          },
          "sshCertificateAuthorities": {
            "ed25519": {
              "enrollmentTokens": {
                "db.example.com": {
                  "principals": [
                    "*.db.example.com"
                  ],
                  "keyTypes": [
                    "ed25519",
                    "ecdsa",
                    "rsa"
                  ],
                  "expiresAt": "2026-11-21T21:00:00Z"
                }
              }
            },
            "ed25519-2": {}
          }
        },
        "missing": [
          {
            "path": "sshCertificateAuthorities.ed25519.ellipticCurve",
            "why": "is not kept"
          },
          {
            "path": "sshCertificateAuthorities.ed25519.keySize",
            "why": "is not kept"
          },
          {
            "path": "sshCertificateAuthorities.ed25519-2.ellipticCurve",
            "why": "is not kept"
          },
          {
            "path": "sshCertificateAuthorities.ed25519-2.keySize",
            "why": "is not kept"
          }
        ]
      }
    },
    "PlanConfiguration": {
      "path": {},
      "request": {
        "document": {
          "ipPolicies": {
            "office": {
              "description": "Berlin and the VPN",
              "rules": [
                {
                  "cidr": "203.0.113.0/24",
                  "action": "allow"
                }
              ]
            }
          }
        }
      },
      "response": {
        "document": "main",
        "digest": "u9FfDu2OXJoJzUJnYYVfNzpmsS692hbMoBPC4aIcGC4",
        "requests": 0,
        "changes": [],
        "asks": [],
        "left": [],
        "access": [],
        "refusals": []
      }
    }
  },
  "errors": {
    "400": {
      "error_code": "INVALID_INPUT",
      "status_code": 400,
      "msg": "cidr: must have a mask; for this one address write 10.0.0.1/32.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbvqf7ty2r5n",
        "field": "cidr"
      }
    },
    "401": {
      "error_code": "UNAUTHENTICATED",
      "status_code": 401,
      "msg": "The API key is unknown, has expired or has been revoked.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbvvknwjjg72"
      }
    },
    "404": {
      "error_code": "NOT_FOUND",
      "status_code": 404,
      "msg": "No such object in this account.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbvyg51rbg67"
      }
    },
    "409": {
      "error_code": "IN_USE",
      "status_code": 409,
      "msg": "The certificate authority has signed a host certificate, \"The way in\". Delete its certificates first. To have them revoked and deleted with it, send `revoke_certificates=true`, in GraphQL `revokeCertificates: true`.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbw2949ctmt6"
      }
    },
    "412": {
      "error_code": "VERSION_CONFLICT",
      "status_code": 412,
      "msg": "The object has changed; it is at version 2. Read it again and retry the change.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbw5rsnzwkex"
      }
    },
    "413": {
      "error_code": "BODY_TOO_LARGE",
      "status_code": 413,
      "msg": "The body must be at most 1048576 bytes.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbwdth2rx39n"
      }
    },
    "415": {
      "error_code": "UNSUPPORTED_MEDIA_TYPE",
      "status_code": 415,
      "msg": "Send the body as \"Content-Type: application/json\", in UTF-8.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbw8s026jbrb"
      }
    },
    "422": {
      "error_code": "IDEMPOTENCY_KEY_REUSED",
      "status_code": 422,
      "msg": "This Idempotency-Key was sent with another request. Send a new key with each new request.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbwqshfbak3e"
      }
    }
  }
};
