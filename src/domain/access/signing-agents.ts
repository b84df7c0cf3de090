// Which agents sign for which account: the setting SIGNING_AGENTS.

/** An agent that has private keys of certificate authorities, such as one with a token of hardware. */
export interface SigningAgentSetting {
  /** Its name, by which authorities refer to it. */
  readonly name: string;
  /** The id or name of the account whose authorities may use it. Any other account could sign with the same keys otherwise. */
  readonly account: string;
  /** Path of its Unix socket. */
  readonly socket: string;
}

const form = /^([a-z0-9][a-z0-9-]{0,62})@([^=]{1,255})=(\/.{0,106})$/;

/**
 * Reads an entry of the setting, such as `hsm@default=/run/sallyport/hsm.sock`. Returns null for another form. A path has at most 107
 * bytes, as long as that of a socket may be (unix(7)).
 */
export function readSigningAgent(text: string): SigningAgentSetting | null {
  const [, name, account, socket] = form.exec(text) ?? [];
  return name === undefined || account === undefined || socket === undefined ? null : { name, account, socket };
}
