// Takes the pictures of the dashboard that the README shows: `npm run screenshots`, with Chromium installed. They are taken of the
// built service, with data that it is given here.

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
await make('/api_keys', {
  description: 'Deployment',
  scopes: ['ssh:enroll'],
  expires_at: new Date(Date.now() + 240 * hour).toISOString(),
});

const browser = await puppeteer.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] });
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
for (const [name, path, scheme] of [
  ['overview', '/', 'light'],
  ['policy', `/ip-policies/${offices}`, 'light'],
  ['certificates', '/ssh?tab=certificates', 'dark'],
] as const) {
  const page = await open(path);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.waitForSelector('main h1');
  await page.waitForFunction(() => document.body.textContent.includes('Live'));
  // The stream of changes stays open.
  await page.waitForNetworkIdle({ concurrency: 1 });
  await page.screenshot({ path: join(import.meta.dirname, `${name}.png`) });
  await page.close();
}
await browser.close();
child.kill('SIGTERM');
await new Promise((resolve) => child.once('exit', resolve));
rmSync(directory, { recursive: true });
