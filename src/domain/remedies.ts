// What messages and pages recommend to operators: commands and settings. All of it is here, because a test runs each remedy
// (`test/process/remedies.test.ts`) and a guard finds recommendations elsewhere. The dashboard has its own few, which the test
// compares with these. Pure.

/** Writes the option for an account. Without it, a command works on the account that the first start makes. */
const of = (accountId: string | undefined) => (accountId === undefined ? '' : ` --account ${accountId}`);

/** Every remedy: a command to run as it is, or the words that name a setting. */
export const remedies = {
  suspendRestrictions: (accountId: string, type?: string) =>
    `sallyport restrictions suspend${of(accountId)}${type === undefined ? '' : ` --type ${type}`}`,
  suspendSignIn: (accountId: string) => `sallyport sign-in suspend${of(accountId)}`,
  suspendApprovals: (accountId: string) => `sallyport approvals suspend${of(accountId)}`,
  listAccounts: 'sallyport account list',
  createAccount: (name: string) => `sallyport account create ${name}`,
  createKey: (accountId?: string) => `sallyport key create${of(accountId)}`,
  listKeys: (accountId?: string) => `sallyport key list${of(accountId)}`,
  revokeKey: (id: string, accountId?: string) => `sallyport key revoke ${id}${of(accountId)}`,
  revokeKeyAnyway: (id: string, accountId: string) => `sallyport key revoke ${id}${of(accountId)} --force`,
  deleteEnrollmentToken: (id: string, accountId: string) =>
    `sallyport ssh-enrollment-token delete ${id}${of(accountId)}`,
  importAuthority: (file: string) => `sallyport ssh-authority import < ${file}`,
  announceSuccessor: (id: string, accountId: string) => `sallyport ssh-authority announce ${id}${of(accountId)}`,
  handOver: (id: string, accountId: string) => `sallyport ssh-authority hand-over ${id}${of(accountId)}`,
  retire: (id: string, accountId: string) => `sallyport ssh-authority retire ${id}${of(accountId)}`,
  retireAndRevoke: (id: string, accountId: string) =>
    `sallyport ssh-authority retire ${id}${of(accountId)} --revoke-certificates`,
  undo: (requestId: string, where: string) => `sallyport undo ${requestId}${where}`,
  migrate: 'sallyport migrate apply',
  showMigrations: 'sallyport migrate status',
  verifyRestored: (time: string) => `sallyport audit verify --checkpoint <file> --restored ${time}`,
  restoreBackup: (file: string) => `sallyport restore ${file}`,
  copyDatabase: (from: string, to: string) => `sallyport copy --from ${from} --to ${to}`,
  rotateSecretKey: 'sallyport secret rotate',
  convertPublicKey: 'ssh-keygen -i -m PKCS8 -f FILE',
  rewritePrivateKey: 'ssh-keygen -p -m PKCS8 -f COPY',
  signAs: (namespace: string) => `ssh-keygen -Y sign -n ${namespace}`,
  keepToOwner: (files: string) => `chmod 600 ${files}`,
  makeSecretKey: 'openssl rand -base64 32',
  setTrustProxy: 'TRUST_PROXY=1',
  setLogsProtocol: 'OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/json',
  setNoLogsExporter: 'OTEL_LOGS_EXPORTER=none',
  addGateProxy: 'GATE_PROXIES',
  allowOutgoing: 'OUTGOING_NETWORKS',
  setBaseUrl: 'BASE_URL',
  setMetricsToken: 'METRICS_TOKEN',
  setSecretKey: 'SECRET_KEY',
  setNewSecretKey: 'NEW_SECRET_KEY',
  setSigningAgents: 'SIGNING_AGENTS',
  setDatabaseUrl: 'DATABASE_URL',
} as const satisfies Record<string, string | ((...given: string[]) => string)>;
