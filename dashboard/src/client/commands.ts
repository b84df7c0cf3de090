// What the dashboard recommends to whoever runs the server. A test of the server compares these with its own, which are run.

/** Every command, and the name of every setting. */
export const commands = {
  suspendRestrictions: (accountId: string) => `sallyport restrictions suspend --account ${accountId}`,
  createKey: (accountId?: string) => `sallyport key create${accountId === undefined ? '' : ` --account ${accountId}`}`,
  addGateProxy: 'GATE_PROXIES',
  setBaseUrl: 'BASE_URL',
};
