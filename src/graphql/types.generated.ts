/** How a route compares its `match` with the path of a request. */
export type HttpsEdgeRouteMatchType =
  /** The path equals it. */
  | 'exact_path'
  /** The path begins with it. */
  | 'path_prefix';

/** What about the metadata of an identity provider keeps logins from working. */
export type IdpMetadataWarningCode =
  /** A certificate for signing has ended. */
  | 'certificate_expired'
  /** Their `validUntil` is past. */
  | 'metadata_expired'
  /** They have no certificate for signing. */
  | 'no_signing_certificate'
  /** They do not say where logins begin. */
  | 'no_sso_location'
  /** A certificate for signing is damaged. */
  | 'unreadable_certificate';

/** What a rule does with the addresses of its range. */
export type IpPolicyRuleAction =
  /** Lets the addresses pass, unless another rule denies them. */
  | 'allow'
  /** Keeps the addresses out, whatever else allows them. */
  | 'deny';

/** What a restriction does with traffic from an address. */
export type IpRestrictionEffect =
  /** Lets it pass. */
  | 'pass'
  /** Refuses it. */
  | 'refuse'
  /** Lets it pass with a warning, because the restriction is not enforced. */
  | 'warn';

/** What traffic a restriction applies to. */
export type IpRestrictionType =
  /** Sessions of agents. */
  | 'agent'
  /** Requests to the management API. */
  | 'api'
  /** Logins to the dashboard. */
  | 'dashboard'
  /** Public traffic to the endpoints. */
  | 'endpoints';

/** Curve of an ECDSA key. */
export type SshEllipticCurve =
  /** NIST P-256. */
  | 'p256'
  /** NIST P-384. */
  | 'p384'
  /** NIST P-521. */
  | 'p521';

/** Type of an SSH key. */
export type SshKeyType =
  /** ECDSA on one of the NIST curves. */
  | 'ecdsa'
  /** Ed25519. */
  | 'ed25519'
  /** RSA. */
  | 'rsa';
