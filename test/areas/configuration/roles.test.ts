// Roles in documents: whom a change of them would shut out.

import { expect, test } from 'vitest';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import { makeTeamProvider, signInPerson } from '../../support/people.ts';
import { alter } from '../../support/planting.ts';
import { accountOf, startService } from '../../support/service.ts';
import { apply, applyRefusalOf, imported, plan, refusalOf } from './documents.ts';

test('A role in a document takes rights from nobody unseen: not the own ones, not the last way in, and none that is given', async () => {
  const service = await startService();
  const accountId = await accountOf(service);
  const admins = (...scopes: string[]) => ({ roles: { admins: { name: 'admins', scopes } } });
  await apply(service, admins('write'));
  const provider = await makeTeamProvider(service, accountId);
  const scope = service.storage.actingFor(accountId, commandLine);
  const roleMappings = [{ group: 'admins', email: null, everybody: false, role: 'admins' }];
  await alter(scope, 'SignInProvider', { id: provider }, { roleMappings });
  scope.credentials.forgetPeople();
  const amy = await signInPerson(service, accountId, provider, 'Amy', 'admins');

  // Of the person who applies it.
  expect((await plan(amy, admins('read'))).refusals).toEqual([
    {
      code: 'LOCKOUT',
      message:
        'You could not undo it: your own roles would not have "people:write" any more. Nothing was changed. If it is meant, repeat the ' +
        'change with force: true, on REST with the header Sallyport-Force: true, or on the command line with --force.',
    },
  ]);
  expect(await applyRefusalOf(amy, admins('read'))).toMatchObject({ code: 'LOCKOUT' });
  expect((await plan(service, admins('read'))).refusals).toEqual([]);
  // By a key, once keys are kept out.
  await alter(scope, 'SignInProvider', { id: provider }, { refusesKeys: true });
  expect(await applyRefusalOf(service, admins('read'))).toMatchObject({
    code: 'LOCKOUT',
    message: expect.stringContaining('"Team" keeps API keys out'),
  });
  expect(await refusalOf(service, {}, { prune: true })).toMatchObject({
    code: 'IN_USE',
    message: 'Role admins: The role "admins" is given by "Team". Remove it from the mappings there first.',
  });
  const {
    id: changed,
    name,
    issuer,
    clientId,
  } = dataOf(await service.graphql('{ signInProviders { nodes { id name issuer clientId } } }')).signInProviders
    .nodes[0];
  expect(changed).toBe(provider);
  const team = { name, issuer, clientId, refusesKeys: true, roleMappings: [{ group: 'admins', role: 'admins' }] };
  const withTeam = (more: object) => ({ ...admins('write'), signInProviders: { team: { ...team, ...more } } });
  expect((await imported(amy, withTeam({}))).plan.changes).toEqual([]);
  // The last way in, the rights of who applies it, and keys that are kept out are judged together at the end.
  for (const [person, more, message] of [
    [amy, { enabled: false }, 'You could not undo it'],
    [amy, { roleMappings: [] }, 'You could not undo it'],
    [service, { roleMappings: [] }, '"Team" keeps API keys out'],
  ] as const) {
    expect(await applyRefusalOf(person, withTeam(more))).toMatchObject({
      code: 'LOCKOUT',
      message: expect.stringContaining(message),
    });
  }
  await alter(scope, 'SignInProvider', { id: provider }, { refusesKeys: false });
  expect(await applyRefusalOf(service, withTeam({}))).toMatchObject({
    code: 'LOCKOUT',
    message: expect.stringContaining('nothing proves that somebody else could'),
  });
  // Who moves the mapping to another role at once can undo it.
  const moved = { roles: { ...admins('write').roles, root: { name: 'root', scopes: ['write', 'read'] } } };
  const both = { ...moved, signInProviders: { team: { ...team, roleMappings: [{ group: 'admins', role: 'root' }] } } };
  expect((await plan(amy, both)).refusals).toEqual([]);
  const mapped = Array.from({ length: 20 }, (_, n) => [`p${n}`, { name: `p${n}`, issuer, clientId, enabled: false }]);
  expect(await refusalOf(amy, { document: 'more', signInProviders: Object.fromEntries(mapped) })).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('20 sign-in providers, the maximum'),
  });
  await apply(amy, admins('write', 'read'));
  expect((await amy.graphql('{ viewer { person { roles } } }')).data.viewer.person.roles).toEqual(['admins']);
});
