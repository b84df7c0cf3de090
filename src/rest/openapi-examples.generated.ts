// Recorded from a service by test/guards/openapi.test.ts.
import type { Examples } from './openapi.ts';

export const recordedExamples: Examples = {
  "operations": {
    "CreateApiKey": {
      "path": {},
      "request": {
        "description": "dashboard"
      },
      "response": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma",
        "uri": "https://sallyport.example.com/api_keys/ak_01m7xc4kkmepqbszdmczy3hnma",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "dashboard",
        "metadata": "",
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
            "token": null
          },
          {
            "id": "ak_01m7xc4kkmepqbszdk22vcdxqm",
            "uri": "https://sallyport.example.com/api_keys/ak_01m7xc4kkmepqbszdk22vcdxqm",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "key of default",
            "metadata": "",
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
        "token": null
      }
    },
    "CreateIpPolicy": {
      "path": {},
      "request": {
        "description": "Offices",
        "metadata": "{\"owner\":\"network\"}"
      },
      "response": {
        "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
        "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Offices",
        "metadata": "{\"owner\":\"network\"}"
      }
    },
    "GetIpPolicy": {
      "path": {
        "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe"
      },
      "response": {
        "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
        "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe",
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
            "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe",
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
        "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe"
      },
      "request": {
        "description": "Offices and data centres"
      },
      "response": {
        "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
        "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Offices and data centres",
        "metadata": "{\"owner\":\"network\"}"
      }
    },
    "CreateIpPolicyRule": {
      "path": {},
      "request": {
        "ip_policy_id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
        "cidr": "192.0.2.0/24",
        "action": "allow",
        "description": "Berlin"
      },
      "response": {
        "id": "ipr_01m7xc4kkmepqbszdyd9vgegdr",
        "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbszdyd9vgegdr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Berlin",
        "metadata": "",
        "cidr": "192.0.2.0/24",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
        },
        "action": "allow"
      }
    },
    "GetIpPolicyRule": {
      "path": {
        "id": "ipr_01m7xc4kkmepqbszdyd9vgegdr"
      },
      "response": {
        "id": "ipr_01m7xc4kkmepqbszdyd9vgegdr",
        "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbszdyd9vgegdr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Berlin",
        "metadata": "",
        "cidr": "192.0.2.0/24",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
        },
        "action": "allow"
      }
    },
    "ListIpPolicyRules": {
      "path": {},
      "response": {
        "ip_policy_rules": [
          {
            "id": "ipr_01m7xc4kkmepqbszdyd9vgegdr",
            "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbszdyd9vgegdr",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Berlin",
            "metadata": "",
            "cidr": "192.0.2.0/24",
            "ip_policy": {
              "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
              "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
            },
            "action": "allow"
          }
        ],
        "uri": "https://sallyport.example.com/ip_policy_rules",
        "next_page_uri": null
      }
    },
    "UpdateIpPolicyRule": {
      "path": {
        "id": "ipr_01m7xc4kkmepqbszdyd9vgegdr"
      },
      "request": {
        "cidr": "198.51.100.0/24"
      },
      "response": {
        "id": "ipr_01m7xc4kkmepqbszdyd9vgegdr",
        "uri": "https://sallyport.example.com/ip_policy_rules/ipr_01m7xc4kkmepqbszdyd9vgegdr",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Berlin",
        "metadata": "",
        "cidr": "198.51.100.0/24",
        "ip_policy": {
          "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
          "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
        },
        "action": "allow"
      }
    },
    "CreateIpRestriction": {
      "path": {},
      "request": {
        "type": "api",
        "ip_policy_ids": [
          "ipp_01m7xc4kkmepqbszdv6cf1scfe"
        ],
        "description": "Only from our offices"
      },
      "response": {
        "id": "ipx_01m7xc4kkmepqbsze3368mqyvk",
        "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbsze3368mqyvk",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Only from our offices",
        "metadata": "",
        "enforced": false,
        "type": "api",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
          }
        ]
      }
    },
    "GetIpRestriction": {
      "path": {
        "id": "ipx_01m7xc4kkmepqbsze3368mqyvk"
      },
      "response": {
        "id": "ipx_01m7xc4kkmepqbsze3368mqyvk",
        "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbsze3368mqyvk",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Only from our offices",
        "metadata": "",
        "enforced": false,
        "type": "api",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
          }
        ]
      }
    },
    "ListIpRestrictions": {
      "path": {},
      "response": {
        "ip_restrictions": [
          {
            "id": "ipx_01m7xc4kkmepqbsze3368mqyvk",
            "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbsze3368mqyvk",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "Only from our offices",
            "metadata": "",
            "enforced": false,
            "type": "api",
            "ip_policies": [
              {
                "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
                "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
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
        "id": "ipx_01m7xc4kkmepqbsze3368mqyvk"
      },
      "request": {
        "enforced": true
      },
      "response": {
        "id": "ipx_01m7xc4kkmepqbsze3368mqyvk",
        "uri": "https://sallyport.example.com/ip_restrictions/ipx_01m7xc4kkmepqbsze3368mqyvk",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Only from our offices",
        "metadata": "",
        "enforced": true,
        "type": "api",
        "ip_policies": [
          {
            "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe",
            "uri": "https://sallyport.example.com/ip_policies/ipp_01m7xc4kkmepqbszdv6cf1scfe"
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
        "id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
        "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbsze5j4dvp09k",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "Hosts",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvn",
        "key_type": "ed25519"
      }
    },
    "GetSshCertificateAuthority": {
      "path": {
        "id": "sshca_01m7xc4kkmepqbsze5j4dvp09k"
      },
      "response": {
        "id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
        "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbsze5j4dvp09k",
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
            "id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
            "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbsze5j4dvp09k",
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
        "id": "sshca_01m7xc4kkmepqbsze5j4dvp09k"
      },
      "request": {
        "description": "Hosts of the data centre"
      },
      "response": {
        "id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
        "uri": "https://sallyport.example.com/ssh_certificate_authorities/sshca_01m7xc4kkmepqbsze5j4dvp09k",
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
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "principals": [
          "bastion.example.com",
          "192.0.2.7"
        ],
        "valid_until": "2027-11-20T21:00:00Z"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszeap3fwwcd4",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszeap3fwwcd4",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
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
        "id": "shcrt_01m7xc4kkmepqbszeap3fwwcd4"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszeap3fwwcd4",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszeap3fwwcd4",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
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
            "id": "shcrt_01m7xc4kkmepqbszeap3fwwcd4",
            "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszeap3fwwcd4",
            "created_at": "2026-11-20T21:00:00Z",
            "description": "",
            "metadata": "",
            "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
            "key_type": "ed25519",
            "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
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
        "id": "shcrt_01m7xc4kkmepqbszeap3fwwcd4"
      },
      "request": {
        "description": "The way in"
      },
      "response": {
        "id": "shcrt_01m7xc4kkmepqbszeap3fwwcd4",
        "uri": "https://sallyport.example.com/ssh_host_certificates/shcrt_01m7xc4kkmepqbszeap3fwwcd4",
        "created_at": "2026-11-20T21:00:00Z",
        "description": "The way in",
        "metadata": "",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB",
        "key_type": "ed25519",
        "ssh_certificate_authority_id": "sshca_01m7xc4kkmepqbsze5j4dvp09k",
        "principals": [
          "bastion.example.com",
          "192.0.2.7"
        ],
        "valid_after": "2026-11-20T21:00:00Z",
        "valid_until": "2027-11-20T21:00:00Z",
        "certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIL1fCi/zxnos7q53gfMOsuElH8LSwPe/tfjQSuT3odt3AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLBHNBgafOZjBwAAAACAAAAIHNoY3J0XzAxbTd4YzRra21lcHFic3plYXAzZnd3Y2Q0AAAAJAAAABNiYXN0aW9uLmV4YW1wbGUuY29tAAAACTE5Mi4wLjIuNwAAAABrALTQAAAAAGzh6FAAAAAAAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIO8+oL+LtFgNhjmIUEOgXPNBpakQRCX6ilnySN9ojFvnAAAAUwAAAAtzc2gtZWQyNTUxOQAAAED2+yCmqt7Icl+he8H6cXgR++dcnL0KxOKMykUSny1IeUIxtvAP+7Xok/gXyPivVggHDmRQyj072lrPr+NG8sID shcrt_01m7xc4kkmepqbszeap3fwwcd4"
      }
    },
    "DeleteSshHostCertificate": {
      "path": {
        "id": "shcrt_01m7xc4kkmepqbszeap3fwwcd4"
      }
    },
    "DeleteSshCertificateAuthority": {
      "path": {
        "id": "sshca_01m7xc4kkmepqbsze5j4dvp09k"
      }
    },
    "DeleteIpRestriction": {
      "path": {
        "id": "ipx_01m7xc4kkmepqbsze3368mqyvk"
      }
    },
    "DeleteIpPolicyRule": {
      "path": {
        "id": "ipr_01m7xc4kkmepqbszdyd9vgegdr"
      }
    },
    "DeleteIpPolicy": {
      "path": {
        "id": "ipp_01m7xc4kkmepqbszdv6cf1scfe"
      }
    },
    "DeleteApiKey": {
      "path": {
        "id": "ak_01m7xc4kkmepqbszdmczy3hnma"
      }
    }
  },
  "errors": {
    "400": {
      "error_code": "INVALID_INPUT",
      "status_code": 400,
      "msg": "cidr: must have a mask; for this one address write 10.0.0.1/32.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbg0d4exk2y4",
        "field": "cidr"
      }
    },
    "401": {
      "error_code": "UNAUTHENTICATED",
      "status_code": 401,
      "msg": "The API key is unknown or has been revoked.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbg4ah49xdts"
      }
    },
    "404": {
      "error_code": "NOT_FOUND",
      "status_code": 404,
      "msg": "No such object in this account.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbgbashbf056"
      }
    },
    "409": {
      "error_code": "IN_USE",
      "status_code": 409,
      "msg": "The certificate authority has signed a host certificate, shcrt_01m7xc4kkmepqbszeap3fwwcd4. Delete what it signed first.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbge5d3ggy82"
      }
    },
    "412": {
      "error_code": "VERSION_CONFLICT",
      "status_code": 412,
      "msg": "The object has changed; it is at version 2. Read it again and repeat the change.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbgkwcvdcq0z"
      }
    },
    "413": {
      "error_code": "BODY_TOO_LARGE",
      "status_code": 413,
      "msg": "The body must be at most 1048576 bytes.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbgtk1rs151j"
      }
    },
    "415": {
      "error_code": "UNSUPPORTED_MEDIA_TYPE",
      "status_code": 415,
      "msg": "Send the body as \"Content-Type: application/json\", in UTF-8.",
      "details": {
        "operation_id": "op_01m7xc4kkmekv9sbgph4va54zm"
      }
    }
  }
};
