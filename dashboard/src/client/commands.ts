// What the dashboard recommends to whoever runs the server. A test of the server compares these commands with its own, which are run.

/** Every command. */
export const commands = {
  suspendRestrictions: (accountId: string) => `sallyport restrictions suspend --account ${accountId}`,
  createKey: (accountId?: string) => `sallyport key create${accountId === undefined ? '' : ` --account ${accountId}`}`,
};
