// How many moves ten usual tasks take, from the overview to the end. The table is in docs/dashboard.md.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { hostKey } from '../support/host-key.ts';
import { idpMetadata, makeIdpKey } from '../support/identity-provider.ts';
import { type Mover, movesOf } from '../support/moves.ts';

/** A range in each line. */
const fifty = Array.from({ length: 50 }, (_, index) => `10.20.${index}.0/24`).join('\n');

const metadata = idpMetadata([makeIdpKey()]);

/** The tasks: what is done, and the moves that it takes. */
const tasks: readonly (readonly [task: string, moves: number, steps: (mover: Mover) => Promise<void>])[] = [
  [
    'Block an address for one policy',
    6,
    async ({ find, click, type, see, key }) => {
      await find('Offices', 'Offices');
      await click('textbox', 'Range or address');
      await type('deny 192.0.2.66');
      await key('Enter');
      await see('Rule for 192.0.2.66/32 added.');
      await see('2 rules');
    },
  ],
  [
    'Issue a certificate',
    5,
    async ({ find, click, type, see }) => {
      await find('New host', 'New host certificate');
      await see('Issue a host certificate');
      // As the file of a host has it: its name becomes that of the certificate.
      await type(`${hostKey} root@db-1.example.com`);
      await see('256 bits');
      await click('button', 'Issue certificate');
      await see('Certificate issued.');
    },
  ],
  [
    'Revoke a certificate',
    5,
    async ({ find, click, see }) => {
      await find('web-1', 'web-1');
      await click('button', 'Revoke');
      await click('button', 'Revoke certificate');
      await see('Certificate revoked.');
    },
  ],
  [
    'Add an authority',
    5,
    async ({ find, type, key, see }) => {
      await find('New SSH', 'New SSH authority');
      await see('Type of its key');
      await type('Production');
      await key('Enter');
      await see('For clients');
    },
  ],
  [
    'Put a login in front of a route',
    7,
    async ({ find, click, paste, see }) => {
      await find('app.example.com', 'app.example.com');
      await click('link', '/');
      await click('button', 'Require a login by SAML');
      await see('Drop or paste the metadata');
      await paste(metadata);
      await see('Logins go to');
      await click('button', 'Require a login');
      await see('For the identity provider');
    },
  ],
  [
    'Find which policy has a range',
    2,
    async ({ key, type, see }) => {
      await key('/');
      await type('203.0.113');
      await see('IP policy rule · 203.0.113.0/24');
    },
  ],
  [
    'Undo a deletion',
    2,
    async ({ click, clickOn, see }) => {
      await click('button', 'Put back');
      await see('Put this IP policy back?');
      await clickOn('[role=dialog] button[type=submit]');
      await see('Put back.');
    },
  ],
  [
    'Make a key',
    6,
    async ({ find, click, type, see, key }) => {
      await find('New API', 'New API key');
      await see('Give it only what it needs.');
      await type('Backup');
      await click('radio', 'Everything: Read');
      await key('Enter');
      await see('It is shown this once.');
    },
  ],
  [
    'Paste 50 ranges',
    5,
    async ({ find, click, paste, see }) => {
      await find('Offices', 'Offices');
      await see('Paste a list');
      await paste(fifty);
      await click('button', 'Add 50 rules');
      await see('50 rules added.');
    },
  ],
  [
    'See why a client was refused',
    3,
    async ({ find, see }) => {
      await find('198.51.100.9', 'May 198.51.100.9 come in?');
      await see('No rule covers it, so it is not allowed.');
    },
  ],
];

describeInBrowser('ten tasks', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  test('take no more moves than they did', async () => {
    const make = async (path: string, body: object) => (await dashboard.call('POST', path, body)).id;
    const policy = await make('/ip_policies', { description: 'Offices' });
    await make('/ip_policy_rules', { ip_policy_id: policy, cidr: '203.0.113.0/24', action: 'allow' });
    await make('/ip_restrictions', { type: 'endpoints', enforced: true, ip_policy_ids: [policy] });
    const authority = await make('/ssh_certificate_authorities', { description: 'Fleet' });
    await make('/ssh_host_certificates', {
      ssh_certificate_authority_id: authority,
      principals: ['web-1.example.com'],
      public_key: hostKey,
      description: 'web-1',
    });
    const edge = await make('/edges/https', { hostports: ['app.example.com:443'] });
    await make(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' });
    const old = await make('/ip_policies', { description: 'Former site' });
    await dashboard.call('DELETE', `/ip_policies/${old}`);

    const counted: Record<string, number> = {};
    for (const [task, , steps] of tasks) {
      const { page, problems } = await dashboard.open('/');
      counted[task] = await movesOf(page, steps).catch((cause: unknown) => {
        throw new Error(`"${task}" did not come to its end.`, { cause });
      });
      expect(problems).toEqual([]);
      await page.close();
    }
    expect(counted).toEqual(Object.fromEntries(tasks.map(([task, moves]) => [task, moves])));
  });
});
