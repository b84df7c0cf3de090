// Accounts: how they are found, and what they may be called.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { openClient } from '../support/database.ts';
import { startService, startTime, type TestService } from '../support/service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

test('an account is found by its id or its name, and read by its id alone', async () => {
  const { accounts } = service.storage;
  const made = await accounts.create('branch-office', commandLine);
  expect([await accounts.find(made.id), await accounts.find('branch-office')]).toEqual([made, made]);
  expect([await accounts.get(made.id), await accounts.get('branch-office')]).toEqual([made, null]);
  expect([await accounts.find('nobody'), await accounts.find('acct_01h455vb4pex5vsknk084sn02q')]).toEqual([null, null]);
});

test('an account whose first key another account has is not created, and its name is not called taken', async () => {
  const { accounts } = service.storage;
  const firstKey = { tokenHash: 'hash', description: '' };
  await accounts.create('one', commandLine, firstKey);
  const taken = { code: 'DUPLICATE', field: 'name' };
  await expect(accounts.create('one', commandLine)).rejects.toMatchObject(taken);
  await expect(accounts.create('two', commandLine, firstKey)).rejects.not.toMatchObject(taken);
  expect(await accounts.find('two')).toBe(null);
});

test.each(['acct_01h455vb4pex5vsknk084sn02q', 'ipp_01h455vb4pex5vsknk084sn02q'])(
  'no account is named %s',
  async (name) => {
    await expect(service.storage.accounts.create(name, commandLine)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field: 'name',
    });
  },
);

test.each(['acct_', 'acct', 'acct_office', 'Acct_01h455vb4pex5vsknk084sn02q'])(
  'an account may be named %s',
  async (name) => {
    expect(await service.storage.accounts.create(name, commandLine)).toMatchObject({ name });
  },
);

test('an account that has long been named like the id of another is never taken for it', async () => {
  const { accounts } = service.storage;
  const { data } = await service.graphql('{ viewer { account { id name } } }');
  const { id } = data.viewer.account;
  const client = await openClient(service.database);
  await client.account.create({ data: { id: 'acct_0', name: id, createdAt: startTime } });
  expect(await accounts.find(id)).toMatchObject({ id, name: 'default' });
  expect((await service.graphql('{ viewer { account { id name } } }')).data).toEqual(data);
});
