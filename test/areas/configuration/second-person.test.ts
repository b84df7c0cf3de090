// Documents where an account asks for a second person: they set that, and wait for one themselves.

import { beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configuredKinds } from '../../../src/areas/configuration/kinds-schema.ts';
import { withTexts } from '../../../src/areas/configuration/texts-schema.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { dataOf, errorOf } from '../../support/answers.ts';
import { makeTeamProvider, signInPerson } from '../../support/people.ts';
import { accountOf, startService, type TestService } from '../../support/service.ts';
import { read } from '../../support/source-files.ts';
import { apply, applyMutation, applyRefusalOf, exported, imported, plan, refusalOf, shortly } from './documents.ts';

type Person = Awaited<ReturnType<typeof signInPerson>>;

let shared: TestService;
let service: TestService;
let accountId: string;
let provider: string;
let amy: Person;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  accountId = await accountOf(service);
  provider = await makeTeamProvider(service, accountId);
  amy = await signInPerson(service, accountId, provider, 'Amy', 'owner');
});

const signIn = (name: string) => signInPerson(service, accountId, provider, name, 'owner');
const settings = (required: boolean) => ({ approvalSettings: { required } });
const team = { name: 'team', scopes: ['ip-policies:read'] };

/** Applies a document that must wait, and returns the id of the request for its approval. */
async function askedFor(person: Person, document: object, options: object = {}): Promise<string> {
  const error = errorOf(await person.graphql(applyMutation, { input: { document, ...options } }));
  expect(error?.code).toBe('APPROVAL_REQUIRED');
  return /areq_\w+/.exec(String(error?.message))?.[0] ?? '';
}

async function approve(person: Person, id: string) {
  dataOf(await person.graphql(`mutation { approveRequest(input: { id: "${id}" }) { approvalRequest { state } } }`));
}

test('a document switches approvals on with the guards of a single change, and off once another person has approved it', async () => {
  expect(await refusalOf(service, settings(true))).toMatchObject({ code: 'FORBIDDEN', field: 'approvalSettings' });
  expect((await plan(amy, settings(true))).refusals).toMatchObject([{ code: 'LOCKOUT' }]);
  expect(await applyRefusalOf(amy, settings(true))).toMatchObject({ code: 'LOCKOUT' });
  const bob = await signIn('Bob');
  // By the roles that the same document leaves, nobody else could approve.
  const team = { name: 'Team', issuer: 'https://idp.example.com', clientId: 'sallyport' };
  await imported(amy, { signInProviders: { team } });
  const fewer = { signInProviders: { team: { ...team, roleMappings: [{ group: 'owner', role: 'operator' }] } } };
  expect((await plan(amy, { ...settings(true), ...fewer })).refusals).toMatchObject([
    { message: expect.stringContaining('You could not undo it') },
    { message: expect.stringContaining('Nobody else who has signed in may approve') },
  ]);
  const { requestId, plan: applied } = await apply(amy, settings(true));
  expect(applied.changes).toEqual([
    {
      action: 'update',
      kind: 'ApprovalSettings',
      name: 'approvalSettings',
      id: null,
      fields: [{ field: 'required', before: false, after: true }],
    },
  ]);
  expect((await exported(service)).document).toMatchObject(settings(true));
  expect((await plan(service, settings(true))).changes).toEqual([]);
  // A document that says nothing of them leaves them, also with prune.
  expect((await plan(amy, { document: 'other' }, { prune: true })).changes).toEqual([]);
  const id = await askedFor(amy, settings(false));
  await approve(bob, id);
  await apply(amy, settings(false));
  await apply(amy, settings(true));
  const undo = `mutation { undoRequest(input: { requestId: "${requestId}" }) { undone { requestId } } }`;
  expect(errorOf(await amy.graphql(undo))).toMatchObject({ code: 'CHANGED_SINCE' });
});

test('what the page shows of people is a document that can be planned', async () => {
  const [, shown = ''] = [...read('docs/configuration-as-code.md').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
    ([, text]) => text,
  );
  const document = withTexts(configuredKinds(schema), parse(shown), () => 'the secret');
  const { changes, asks } = await plan(amy, document);
  expect(shortly({ changes })).toEqual([
    'create Role network',
    'create SignInProvider team',
    'create SignInProvider partners',
    'update ApprovalSettings approvalSettings',
  ]);
  expect(asks).toEqual(['https://login.partner.example/metadata', 'https://sso.example.com/realms/team']);
});

test('undoing what switched them on switches them off, and waits for a second person as well', async () => {
  const bob = await signIn('Bob');
  const { requestId } = await apply(amy, settings(true));
  const undo = `mutation { undoRequest(input: { requestId: "${requestId}" }) { undone { objects } } }`;
  const error = errorOf(await amy.graphql(undo));
  expect(error?.code).toBe('APPROVAL_REQUIRED');
  await approve(bob, /areq_\w+/.exec(String(error?.message))?.[0] ?? '');
  expect(dataOf(await amy.graphql(undo)).undoRequest.undone.objects).toMatchObject([
    { action: 'delete', kind: 'ApprovalSettings' },
  ]);
  expect((await exported(service)).document).not.toHaveProperty('approvalSettings');
});

test('an approval covers what a document did when it was asked for, and nothing that it has come to mean', async () => {
  const bob = await signIn('Bob');
  await apply(amy, { roles: { team, others: { name: 'others', scopes: ['ip-policies:read'] } } });
  await apply(amy, settings(true));
  const document = { roles: { team: { ...team, scopes: ['ip-policies:write'] } } };
  const first = await askedFor(amy, document, { prune: true });
  const [request] = dataOf(await bob.graphql('{ approvalRequests { nodes { input } } }')).approvalRequests.nodes;
  expect(JSON.parse(request.input).carriesOut.changes).toMatchObject([
    { action: 'delete', kind: 'Role', name: 'others' },
    { action: 'update', kind: 'Role', name: 'team' },
  ]);
  await approve(bob, first);
  // Another document of the account has nothing to do with it; this one comes to delete more.
  const more = { document: 'main', ...document, tunnelGroupBackends: { mail: {} } };
  const { requestId } = await apply(service, { document: 'other', ipPolicies: { office: {} } });
  expect(requestId).toMatch(/^op_/);
  await approve(bob, await askedFor(amy, more));
  await apply(amy, more);
  const second = await askedFor(amy, document, { prune: true });
  expect(second).not.toBe(first);
  await approve(bob, second);
  const { plan: applied } = await apply(amy, document, { prune: true });
  expect(applied.changes.map(({ action, name }: { action: string; name: string }) => `${action} ${name}`)).toEqual([
    'delete others',
    'delete mail',
  ]);
});
