// How old keys may become before somebody should replace them: the policy of the server.

/** Days after which keys are old. What was issued with an end of its own is old when that comes. */
export interface KeyAges {
  /** An API key that never expires. */
  readonly apiKeyDays: number;
  /** The key of a certificate authority. */
  readonly authorityDays: number;
  /** The secret key, which seals all others (NIST SP 800-57 part 1, 5.3.6: up to two years for a key that wraps keys). */
  readonly secretKeyDays: number;
}

/** The policy where nothing else is set. */
export const usualKeyAges: KeyAges = { apiKeyDays: 365, authorityDays: 5 * 365, secretKeyDays: 2 * 365 };
