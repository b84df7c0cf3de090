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
