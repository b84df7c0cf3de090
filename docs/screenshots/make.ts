// Takes the pictures of the dashboard that the README shows, and those of the parts that the page about the kit shows:
// `npm run screenshots`, with Chromium installed. They are taken of the built service, with data that it is given here.

import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import puppeteer from 'puppeteer-core';
import { chromium } from '../../test/support/browser.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-screenshots-'));
const key = randomBytes(24).toString('base64url');
const child = spawn(process.execPath, ['dist/main.js'], {
  env: { PORT: '0', DATABASE_URL: `file:${join(directory, 'data.db')}`, BOOTSTRAP_API_KEY: key },
  stdio: ['ignore', 'pipe', 'inherit'],
});
// Whatever goes wrong here, the service does not outlive it.
process.on('exit', () => child.kill());
const url = await new Promise<string>((resolve) => {
  createInterface(child.stdout).on('line', (line) => {
    const found = /^Sallyport is listening on (\S+)$/.exec(line)?.[1];
    if (found !== undefined) resolve(found);
  });
});

const headers = { Authorization: `Bearer ${key}`, 'Service-Version': '2', 'Content-Type': 'application/json' };
/** Makes an object over REST; gives its id. */
async function make(path: string, body: object): Promise<string> {
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const made: { id?: string } = await answer.json();
  if (made.id === undefined) throw new Error(`${path}: ${JSON.stringify(made)}`);
  return made.id;
}

/** A new public key of a host, as ssh writes it. */
function hostKey(): string {
  const raw = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const part = (bytes: Uint8Array) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([part(Buffer.from('ssh-ed25519')), part(raw)]).toString('base64')}`;
}

const policies: Record<string, string> = {};
for (const [description, ...ranges] of [
  ['Offices', '203.0.113.0/24', '198.51.100.0/25', '2001:db8:10::/48'],
  ['Home offices', '192.0.2.0/26', '192.0.2.128/27'],
  ['Monitoring', '198.51.100.200/32'],
  ['Old data centre'],
] as const) {
  const policy = await make('/ip_policies', { description });
  policies[description] = policy;
  for (const cidr of ranges) await make('/ip_policy_rules', { ip_policy_id: policy, cidr, action: 'allow' });
}
const offices = policies.Offices ?? '';
await make('/ip_policy_rules', {
  ip_policy_id: offices,
  cidr: '203.0.113.66/32',
  action: 'deny',
  description: 'Guest network',
});
const restrict = (type: string, enforced: boolean, description: string, ...names: string[]) =>
  make('/ip_restrictions', { type, enforced, description, ip_policy_ids: names.map((name) => policies[name]) });
await restrict('endpoints', true, 'Applications', 'Offices', 'Home offices', 'Monitoring');
await restrict('agent', false, 'Agents', 'Offices', 'Old data centre');
await restrict('api', false, 'Programs', 'Monitoring');
const authority = await make('/ssh_certificate_authorities', { description: 'Production' });
const hour = 3_600_000;
for (const [name, hours] of [
  ['db-1', 30],
  ['db-2', 130],
  ['web-1', 400],
  ['web-2', 700],
  ['web-3', 900],
  ['build-1', 1_500],
  ['build-2', 2_000],
  ['backup', 3_000],
] as const) {
  await make('/ssh_host_certificates', {
    ssh_certificate_authority_id: authority,
    public_key: hostKey(),
    principals: [`${name}.example.com`],
    description: name,
    valid_until: new Date(Date.now() + hours * hour).toISOString(),
  });
}
const edge = await make('/edges/https', { description: 'Intranet', hostports: ['intranet.example.com:443'] });
await make(`/edges/https/${edge}/routes`, { match: '/', match_type: 'path_prefix', description: 'Everything' });
const tlsEdge = await make('/edges/tls', { description: 'Databases', hostports: ['db.example.com:5432'] });
const policy = {
  inbound: [
    { name: 'Offices alone', actions: [{ type: 'restrict-ips', config: { ip_policies: [offices] } }] },
    { name: 'Old TLS', expressions: ["conn.tls.version == '1.0'"], actions: [{ type: 'deny' }] },
  ],
};
await fetch(`${url}/edges/tls/${tlsEdge}/policy`, { method: 'PUT', headers, body: JSON.stringify(policy) });
await make('/api_keys', {
  description: 'Deployment',
  scopes: ['ssh:enroll'],
  expires_at: new Date(Date.now() + 240 * hour).toISOString(),
});

const browser = await puppeteer.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] });
/** Runs in a page of the dashboard: shows the sizes of its text and its colours in place of its content. */
function showTokens(): void {
  const names = [...document.styleSheets]
    .flatMap(({ cssRules }) => [...cssRules])
    .flatMap((rule) => (rule instanceof CSSStyleRule && rule.selectorText === ':root' ? [...rule.style] : []))
    .filter((name) => name.startsWith('--'));
  const sheet = document.createElement('div');
  Object.assign(sheet.style, { display: 'grid', gridTemplateColumns: 'repeat(4, 1fr)', gap: '16px', padding: '24px' });
  for (const name of new Set(names)) {
    const size = name.startsWith('--type-');
    const colour = CSS.supports('color', getComputedStyle(document.documentElement).getPropertyValue(name));
    if (!size && !colour) continue;
    const sample = document.createElement('div');
    sample.textContent = name;
    Object.assign(
      sample.style,
      size ? { fontSize: `var(${name})` } : { borderTop: `32px solid var(${name})`, outline: '1px solid var(--line)' },
    );
    sheet.append(sample);
  }
  document.querySelector('main')?.replaceChildren(sheet);
}
/** Opens a tab of its own: what one that is left was waiting for would count as what the next one waits for. */
async function open(path: string) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(`${url}/dashboard${path}`);
  return page;
}
const door = await open('/');
await door.waitForSelector('input[type=password]:focus');
await door.keyboard.type(key);
await door.keyboard.press('Enter');
await door.waitForSelector('nav[aria-label=Pages]');
await door.close();
/** Opens a page of the dashboard, and waits until it shows all that it will. */
async function openWhole(path: string, scheme: 'light' | 'dark' = 'light') {
  const page = await open(path);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.waitForSelector('main h1');
  await page.waitForFunction(() => document.body.textContent.includes('Live'));
  // Not for an idle network: the stream of changes stays open.
  await page.waitForFunction(() => !document.querySelector('main :is([aria-label=Loading], [aria-busy=true])'));
  return page;
}
for (const [name, path, scheme] of [
  ['overview', '/', 'light'],
  ['policy', `/ip-policies/${offices}`, 'light'],
  ['certificates', '/ssh?tab=certificates', 'dark'],
] as const) {
  const page = await openWhole(path, scheme);
  await page.screenshot({ path: join(import.meta.dirname, `${name}.png`) });
  await page.close();
}

const kit = join(import.meta.dirname, '../../dashboard/src/kit/pictures');
for (const [name, path, part] of [
  ['list', `/ip-policies/${offices}`, 'section:has(table)'],
  ['filters', '/ip-restrictions?mode=warning', 'search'],
  ['form', `/tls-edges/${tlsEdge}`, 'section[aria-label=Settings]'],
  ['rules', `/tls-edges/${tlsEdge}`, 'section[aria-label="Inbound rules"]'],
  ['dialog', '/ip-policies?new=1', '[role=dialog]'],
] as const) {
  const page = await openWhole(path);
  const element = await page.waitForSelector(part);
  await element?.screenshot({ path: join(kit, `${name}.png`) });
  await page.close();
}
for (const scheme of ['light', 'dark'] as const) {
  const page = await openWhole('/backends', scheme);
  await page.evaluate(showTokens);
  const main = await page.waitForSelector('main > div');
  await main?.screenshot({ path: join(kit, `tokens-${scheme}.png`) });
  await page.close();
}
await browser.close();
child.kill('SIGTERM');
await new Promise((resolve) => child.once('exit', resolve));
rmSync(directory, { recursive: true });
