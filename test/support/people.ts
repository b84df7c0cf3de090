// People who have signed in, for tests that are not about how they do.

import { createDashboardSessions } from '../../src/areas/api-keys/session-store.ts';
import { requests } from '../../src/areas/approvals/request-store.ts';
import { setRequired } from '../../src/areas/approvals/settings-store.ts';
import { recordSignIn } from '../../src/areas/people/person-store.ts';
import { createSignInProvider } from '../../src/areas/people/provider-store.ts';
import { keyScopes } from '../../src/domain/access/key-scopes.ts';
import { builtInRoles } from '../../src/domain/access/roles.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { DashboardBrowser } from './dashboard-browser.ts';
import type { TestService } from './service.ts';

/** Puts a person on record, as a sign-in by a provider does, and returns the id. */
export function makePerson(
  { storage }: Pick<TestService, 'storage'>,
  accountId: string,
  providerId: string,
  described = { subject: 'amy-1', name: 'Amy', email: 'amy@example.com', groups: ['staff'] },
): Promise<string> {
  const actingAs = () => storage.actingFor(accountId, commandLine);
  return recordSignIn(storage.forAccount(accountId), actingAs, providerId, described);
}

/** Puts a setting and a request for an approval on record, of which nothing waits. */
export async function makeApprovals({ storage }: Pick<TestService, 'storage'>, accountId: string): Promise<void> {
  const scope = storage.actingFor(accountId, commandLine);
  await setRequired(scope, false, null);
  await requests.create(scope, {
    mutation: 'createRole',
    summary: 'Create role.',
    input: '{}',
    callHash: 'a',
    scopes: 'people:write',
    requesterId: scope.newId('Person'),
    requesterName: 'Amy',
    expiresAt: new Date(scope.now().getTime() + 60_000),
  });
}

/** Makes a provider that gives everybody the role that their group is called like, and returns its id. Nobody asks it anything. */
export async function makeTeamProvider({ storage }: Pick<TestService, 'storage'>, accountId: string): Promise<string> {
  const roleMappings = Object.keys(builtInRoles).map((role) => ({ group: role, role }));
  const client = { issuer: 'https://idp.example.com', clientId: 'sallyport', clientSecret: 'x' };
  const giver = { rights: new Set(keyScopes), examine: async () => {} };
  const scope = storage.actingFor(accountId, commandLine);
  return (await createSignInProvider(scope, { ...client, name: 'Team', roleMappings }, giver)).id;
}

/** Signs a person in who has some roles by a provider of `makeTeamProvider`. */
export async function signInPerson(
  service: TestService,
  accountId: string,
  providerId: string,
  name: string,
  ...groups: string[]
): Promise<DashboardBrowser & { readonly personId: string }> {
  const { storage } = service;
  const described = { subject: name, name, email: '', groups };
  const personId = await makePerson(service, accountId, providerId, described);
  const identity = await storage.credentials.identifyPerson(personId);
  if (identity === null) throw new Error(`${name} is not let in.`);
  const { now } = storage.forAccount(accountId);
  const sessions = createDashboardSessions(storage, {
    now,
    randomBytes: storage.forAccount(accountId).randomBytes,
    idleSeconds: 3_600,
    secondsMax: 43_200,
    reportFailure(error) {
      throw error;
    },
  });
  const { token } = await sessions.begin(identity, commandLine, 'test');
  const browser = new DashboardBrowser(service);
  browser.cookie = `__Host-sallyport_session=${token}`;
  return Object.assign(browser, { personId });
}
