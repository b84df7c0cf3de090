// Everybody who is signed in as a person makes keys of one's own, whatever the roles, and nobody else's.

import { expect, test } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { makeTeamProvider, signInPerson } from '../../support/people.ts';
import { accountOf, createClient, ownService } from '../../support/service.ts';

const make = (input = '') =>
  `mutation { createPersonalApiKey(input: { ${input} }) { apiKey { id token scopes description } } }`;
const remove = (id: string) => `mutation { deletePersonalApiKey(input: { id: "${id}" }) { deletedId } }`;
const list = '{ viewer { personalApiKeys { id } } }';
const codeOf = ({ errors }: { errors: { extensions: { code: string } }[] | undefined }) => errors?.[0]?.extensions.code;

test('a viewer has keys within the own rights, sees and revokes them, and no key makes or revokes others this way', async () => {
  const service = await ownService();
  const accountId = await accountOf(service);
  const provider = await makeTeamProvider(service, accountId);
  const vic = await signInPerson(service, accountId, provider, 'Vic', 'viewer');
  const amy = await signInPerson(service, accountId, provider, 'Amy', 'owner');
  const { apiKey } = dataOf(await vic.graphql(make('description: "scripts"'))).createPersonalApiKey;
  expect(apiKey.scopes).toContain('ip-policies:read');
  const key = createClient(service.url, apiKey.token);
  expect((await key.rest('GET', '/ip_policies')).status).toBe(200);
  expect((await key.rest('POST', '/ip_policies', {})).status).toBe(403);
  expect(codeOf(await vic.graphql(make('scopes: ["write"]')))).toBe('FORBIDDEN');
  expect(dataOf(await vic.graphql(list)).viewer.personalApiKeys).toEqual([{ id: apiKey.id }]);
  expect(dataOf(await amy.graphql(list)).viewer.personalApiKeys).toEqual([]);
  expect(dataOf(await service.graphql(list)).viewer.personalApiKeys).toEqual([]);
  expect([
    codeOf(await key.graphql(make())),
    codeOf(await service.graphql(make())),
    codeOf(await key.graphql(remove(apiKey.id))),
    codeOf(await amy.graphql(remove(apiKey.id))),
    codeOf(await vic.graphql(make('').replace('{ id token scopes description }', '{ person { id } }'))),
  ]).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'NOT_FOUND', 'FORBIDDEN']);
  dataOf(await vic.graphql(remove(apiKey.id)));
  expect((await key.rest('GET', '/ip_policies')).status).toBe(401);
  expect(dataOf(await vic.graphql(list)).viewer.personalApiKeys).toEqual([]);
});
