// The groups in which routes are shown: their collections.

const acronyms = new Set(['api', 'http', 'https', 'ip', 'saml', 'ssh', 'tls']);

/**
 * Returns the group of a route, named after its collection: `IP policy rules` for `/ip_policy_rules/{id}`, `TLS edges` for
 * `/edges/tls`. Everything that hosts and clients fetch below `/ssh` is one group.
 */
export function tagOf(path: string): string {
  if (path.startsWith('/ssh/')) return 'SSH hosts and clients';
  const steps = path
    .replace(/\/\{.*/, '')
    .slice(1)
    .split('/')
    .reverse();
  const words = steps.flatMap((step) => step.split('_'));
  const text = words.map((word) => (acronyms.has(word) ? word.toUpperCase() : word)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
