// What keys may do, for every scope on every route and every field: generated from the route table and the schema. The scope that a
// route or a field should need follows from its area, not from its own declaration.

import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import type { Area } from '../../src/areas/area.ts';
import { namedAreas } from '../../src/areas/areas.ts';
import { type KeyScope, keyScopes } from '../../src/domain/access/key-scopes.ts';
import { builtInRoles } from '../../src/domain/access/roles.ts';
import { areaOf, hasCollection, isKind, type Kind, kinds } from '../../src/domain/values/ids.ts';
import { schema } from '../../src/graphql/schema.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { operationOf } from '../../src/surfaces/rest/document.ts';
import type { Route } from '../../src/surfaces/rest/route.ts';
import { routes as allRoutes } from '../../src/surfaces/rest/routes.ts';
import { dataOf } from '../support/answers.ts';
import { makeTeamProvider, signInPerson } from '../support/people.ts';
import { type Client, createClient, startService, type TestService } from '../support/service.ts';
import { createWorld, fillPath, type IdOf, nameOf, neverId, sampleBody } from './world.ts';

let service: TestService;
let owned: IdOf;
let accountId: string;
/** A provider by which people have the roles that their groups are called like. */
let provider: string;
beforeAll(async () => {
  service = await startService();
  owned = await createWorld(service);
  accountId = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
  provider = await makeTeamProvider(service, accountId);
  for (const scope of keyScopes) clients.set(scope, await clientWith(scope));
});

/** A client for each scope, whose key has that one alone. */
const clients = new Map<KeyScope, Client>();
const clientOf = (scope: KeyScope) => clients.get(scope) ?? service;

/** Returns a client whose key has the given scopes. */
async function clientWith(...scopes: KeyScope[]): Promise<Client> {
  const { token } = await createApiKey(service.storage.actingFor(accountId, commandLine), { scopes }, unlimited);
  return createClient(service.url, token);
}

const areas: readonly Area[] = namedAreas;

/** What a document describes decides which scopes it needs (`test/areas/configuration/isolation.test.ts`). */
const isOfOneArea = ({ path }: Route) => !path.startsWith('/configuration');
const routes = allRoutes.filter(isOfOneArea);

// The area of each route.
const areaOfRoute = new Map<Route, string>();
for (const area of areas) {
  const part = await area.routes?.();
  // What documents of the configuration describe is of other areas; what a request has changed, the trail says.
  const name = area.name === 'configuration' ? 'audit-events' : area.name;
  const own = [...(part?.routes ?? []), ...(part?.streams ?? [])].filter(isOfOneArea);
  for (const route of own) areaOfRoute.set(route, name);
}

/** What narrow scopes allow, as the page on API keys says. */
const narrow: Record<string, { area: string; routes: RegExp; fields: readonly string[]; kinds: readonly string[] }> = {
  gate: {
    area: 'https-edges',
    routes: /^$/,
    fields: ['evaluateGate', 'loginSessions', 'endLoginSession', 'endLoginSessions'],
    kinds: ['LoginSession'],
  },
  // For the gate alone: nothing of the API.
  'gate:pass': { area: 'https-edges', routes: /^$/, fields: [], kinds: [] },
  'ssh:enroll': {
    area: 'ssh',
    routes: /^\/ssh_enrollment_tokens/,
    fields: [
      'sshEnrollmentToken',
      'sshEnrollmentTokens',
      'createSshEnrollmentToken',
      'updateSshEnrollmentToken',
      'deleteSshEnrollmentToken',
    ],
    kinds: ['SshEnrollmentToken'],
  },
};

/** Returns the narrow scope that is sufficient for something; null if there is none. */
function narrowFor(isFor: (each: (typeof narrow)[string]) => boolean): string | null {
  return Object.entries(narrow).find(([, each]) => isFor(each))?.[0] ?? null;
}

/** Routes that every key may use, because they take a proof, or ask for one. */
const forEveryKey: readonly string[] = ['POST /ssh_challenges', 'POST /ssh_enrollments'];

/** Returns whether a key with one scope has an access to some areas, as the page on API keys says. */
function isEnough(scope: string, areas: readonly string[], access: string, instead: string | null = null): boolean {
  if (areas.length === 0 || scope === instead) return true;
  if (scope in narrow) return false;
  const [area, given] = scope.includes(':') ? scope.split(':') : [null, scope];
  // Permission to change an area includes its narrow scopes, whatever they read of other areas.
  if (instead !== null && given === 'write' && (area === null || area === narrow[instead]?.area)) return true;
  return (area === null || areas.every((needed) => needed === area)) && (given === 'write' || given === access);
}

/**
 * Returns whether a key with one scope is tried on what is of some areas: on everything if the scope is of all areas or a narrow one,
 * otherwise on its own area and on the next, which stands for the other ones.
 */
function isTried(scope: string, ofAreas: readonly string[]): boolean {
  const names = areas.map(({ name }) => String(name));
  const place = names.indexOf(scope.split(':')[0] ?? '');
  if (place < 0 || scope in narrow) return true;
  return ofAreas.some((area) => [0, 1].includes((names.indexOf(area) - place + names.length) % names.length));
}

/**
 * Returns whether a key has the scope of the area but lacks the other one that a change needs: who says where messages go must be
 * allowed to read the trail. The tests of webhooks try it.
 */
function lacksTrail(scope: string, change: string): boolean {
  return (
    scope === 'webhooks:write' &&
    /^(POST|PATCH) \/webhooks|^PUT \/webhooks\/\{id\}\/secret|^(create|update|rotate)Webhook/.test(change)
  );
}

/** Returns what a key lacks, as messages say it. */
function lacking(missing: readonly string[], access: string, instead: string | null): string {
  if (instead !== null && access === 'write') return `"${instead}"`;
  const scopes = missing.map((area) => `"${area}:${access}"`).join(', ');
  return instead === null ? scopes : `${scopes} (or only "${instead}")`;
}

const lacks = /^The API key lacks "/;

/** Needs only to read its area, and to write those of the objects that it finds. */
const putsBack = (change: string) => /restoreObject|undoRequest|\/undo$/.test(change);

describe('over REST', () => {
  const accessOf = (route: Route) => (route.method === 'GET' || putsBack(route.path) ? 'read' : 'write');
  const areaOfOne = (route: Route) => areaOfRoute.get(route) ?? '';
  const insteadOf = ({ path }: Route) => narrowFor((each) => each.routes.test(path));
  const changes = ['create', 'update', 'delete'].map(
    (action) => `${action}: auditEvents(action: ${action}) { totalCount }`,
  );
  // Of the trail, only the changes: refusals are recorded there, too.
  const everything = async () => [
    (await service.graphql(`{ ${changes.join(' ')} }`)).data,
    ...(await Promise.all(
      routes
        .filter(({ method, path }) => method === 'GET' && !/^\/(api_keys|audit_events)/.test(path))
        .map(async ({ path }) => (await service.rest('GET', fillPath(path, owned))).body),
    )),
  ];

  test('every route is of an area', () => {
    expect(routes.filter((route) => !areaOfRoute.has(route)).map(nameOf)).toEqual([]);
  });

  let before: unknown;
  beforeAll(async () => {
    before = await everything();
  });

  const isAllowed = (scope: KeyScope, route: Route) =>
    forEveryKey.includes(nameOf(route)) || isEnough(scope, [areaOfOne(route)], accessOf(route), insteadOf(route));
  const sendAs = (client: Client, route: Route, ids: IdOf) =>
    client.rest(route.method, fillPath(route.path, ids), sampleBody(route, ids));

  test.each(keyScopes)('a key with %s does not have the routes of other areas', async (scope) => {
    const client = clientOf(scope);
    for (const route of routes.filter((each) => isTried(scope, [areaOfOne(each)]) && !isAllowed(scope, each))) {
      const { status, body } = await sendAs(client, route, owned);
      expect([nameOf(route), status, body.error_code, body.msg]).toEqual([
        nameOf(route),
        403,
        'FORBIDDEN',
        `The API key lacks ${lacking([areaOfOne(route)], accessOf(route), insteadOf(route))}; it has "${scope}".`,
      ]);
    }
  });

  test('what was refused has changed nothing', async () => {
    expect(await everything()).toEqual(before);
  });

  test.each(keyScopes)('a key with %s has the routes of its areas', async (scope) => {
    const client = clientOf(scope);
    for (const route of routes.filter((each) => isTried(scope, [areaOfOne(each)]) && isAllowed(scope, each))) {
      if (lacksTrail(scope, nameOf(route))) continue;
      if (route.method === 'GET' && !putsBack(route.path)) {
        expect([nameOf(route), (await sendAs(client, route, owned)).status]).toEqual([nameOf(route), 200]);
      } else {
        // The change finds nothing to change.
        const { body } = await sendAs(client, route, neverId(owned));
        expect([nameOf(route), body?.msg]).not.toEqual([nameOf(route), expect.stringMatching(lacks)]);
      }
    }
  });
});

describe('over GraphQL', () => {
  type Field = GraphQLField<unknown, unknown>;

  // The fields of routes belong to the area of their route; the few fields that no route has are listed here.
  const withoutRoute: Record<string, readonly string[]> = {
    evaluateGate: ['https-edges', 'ip-restrictions', 'ip-policies'],
    evaluateIp: ['ip-restrictions', 'ip-policies'],
    evaluateIpPolicy: ['ip-policies'],
    evaluateIpPolicyChange: ['ip-policies'],
    evaluateIpPolicySource: ['ip-policies'],
    evaluateIpRestrictionChange: ['ip-restrictions', 'ip-policies'],
    evaluateTlsPolicy: ['tls-edges', 'ip-policies'],
    checkTlsPolicy: ['tls-edges', 'ip-policies'],
    idpMetadata: ['https-edges'],
    dashboardSessions: ['api-keys'],
    // Or a session that ends itself.
    endDashboardSession: ['api-keys'],
    endDashboardSessions: ['api-keys'],
    deleteApiKeys: ['api-keys'],
    approvalRequests: ['approvals'],
    approvalSettings: ['approvals'],
    approveRequest: ['approvals'],
    refuseRequest: ['approvals'],
    // Those of one's own: whoever may make a change may take back having asked for it.
    withdrawRequest: [],
    updateApprovalSettings: ['approvals', 'people'],
    // Of people who are signed in, whatever they may do otherwise.
    createPersonalApiKey: [],
    deletePersonalApiKey: [],
    people: ['people'],
    builtInRoles: ['people'],
    blockPerson: ['people'],
    unblockPerson: ['people'],
    createIpPolicyRules: ['ip-policies'],
    confirmIpPolicySource: ['ip-policies'],
    refreshIpPolicySource: ['ip-policies'],
    deleteIpPolicyRules: ['ip-policies'],
    deleteSshHostCertificates: ['ssh'],
    loginSessions: ['https-edges'],
    endLoginSession: ['https-edges'],
    endLoginSessions: ['https-edges'],
    rotateSamlKey: ['https-edges'],
    announceSshCertificateAuthoritySuccessor: ['ssh'],
    handOverSshCertificateAuthority: ['ssh'],
    retireSshCertificateAuthority: ['ssh'],
    // In addition, write access to the area of the object, which the event names.
    restoreObject: ['audit-events'],
    sshHostCertificateCounts: ['ssh'],
    checkSshPublicKey: ['ssh'],
    sshSigningAgents: ['ssh'],
    createSshCertificateAuthorityInAgent: ['ssh'],
    pingWebhook: ['webhooks'],
    resendWebhookDeliveries: ['webhooks'],
    rotateWebhookSecret: ['webhooks'],
    // Every key may ask who it is, how the service is doing, and what needs attention: it learns what it may read. The same holds
    // for objects by id: each needs the scope of its kind (`nodes.test.ts`).
    viewer: [],
    service: [],
    activity: [],
    attention: [],
    attentionGroups: [],
    nodes: [],
    // It searches what the key may read (`search.test.ts`).
    search: [],
  };
  const areasOfRoots = new Map(Object.entries(withoutRoute));
  for (const [route, area] of areaOfRoute) {
    for (const node of operationOf(route.document).selectionSet.selections) {
      if (node.kind === 'Field') areasOfRoots.set(node.name.value, forEveryKey.includes(nameOf(route)) ? [] : [area]);
    }
  }

  /** Returns some value of a type as a GraphQL literal. */
  const literalOf = (type: GraphQLInputType): string => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return '[]';
    if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? '';
    if (isInputObjectType(nullable)) {
      const required = Object.values(nullable.getFields()).filter((field) => isNonNullType(field.type));
      return `{ ${required.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')} }`;
    }
    if (nullable.name === 'Boolean') return 'false';
    return nullable.name === 'JSON' ? '{}' : '"x"';
  };
  /** Writes a field with its required arguments. */
  const callOf = ({ name, args }: Field, selection = '{ __typename }') => {
    const required = args.filter(({ type }) => isNonNullType(type));
    const given = required.map((arg) => `${arg.name}: ${literalOf(arg.type)}`).join(', ');
    return `${name}${given === '' ? '' : `(${given})`} ${selection}`;
  };
  const fieldsOf = (name: string): Field[] => {
    const type = schema.getType(name);
    return isObjectType(type) ? Object.values(type.getFields()) : [];
  };
  const messagesOf = async (client: Pick<Client, 'graphql'>, query: string, wanted = /./) => {
    const { errors = [] } = await client.graphql(query);
    const refusals = errors.filter(({ extensions }) => extensions.code === 'FORBIDDEN').map(({ message }) => message);
    return refusals.filter((message) => wanted.test(message));
  };

  const roots = [
    ...fieldsOf('Query').map((field) => ['query', field] as const),
    ...fieldsOf('Mutation').map((field) => ['mutation', field] as const),
    // A document needs the scopes of what it describes.
  ].filter(([, { name }]) => name !== 'node' && !/^(export|import|plan|apply)Configuration$/.test(name));

  test('every field of the query and the mutation is of a route, or named here', () => {
    expect(roots.filter(([, { name }]) => !areasOfRoots.has(name)).map(([, { name }]) => name)).toEqual([]);
  });

  const onlyForPeople = 'Only a person who is signed in to the dashboard has and makes keys this way.';

  test.each(keyScopes)('a key with %s has the fields of its areas', async (scope) => {
    const client = clientOf(scope);
    for (const [operation, field] of roots) {
      const access = operation === 'query' || putsBack(field.name) ? 'read' : 'write';
      const areas = areasOfRoots.get(field.name) ?? [];
      if (!isTried(scope, areas) || lacksTrail(scope, field.name)) continue;
      const instead = narrowFor(({ fields }) => fields.includes(field.name));
      const missing = isEnough(scope, areas, access, instead)
        ? []
        : areas.filter((area) => !isEnough(scope, [area], access));
      const refusal = `The API key lacks ${lacking(missing, access, instead)}; it has "${scope}".`;
      expect([field.name, ...(await messagesOf(client, `${operation} { ${callOf(field)} }`))]).toEqual([
        field.name,
        ...(field.name.includes('PersonalApiKey') ? [onlyForPeople] : missing.length === 0 ? [] : [refusal]),
      ]);
    }
  });

  test.each(Object.entries(builtInRoles))(
    'whoever is a %s has in a session, and by an own key, what the scopes of the role allow and no more',
    async (role, scopes: readonly KeyScope[]) => {
      const person = await signInPerson(service, accountId, provider, role, role);
      const make = 'mutation { createPersonalApiKey(input: {}) { apiKey { token } } }';
      const key = createClient(service.url, dataOf(await person.graphql(make)).createPersonalApiKey.apiKey.token);
      const tells = (client: Pick<Client, 'graphql'>, query: string) =>
        messagesOf(client, query, /roles lack|key lacks/);
      for (const [operation, field] of roots) {
        const access = operation === 'query' || putsBack(field.name) ? 'read' : 'write';
        const instead = narrowFor(({ fields }) => fields.includes(field.name));
        const isAllowed = (areasOfRoots.get(field.name) ?? []).every((area) =>
          scopes.some((scope) => isEnough(scope, [area], access, instead)),
        );
        const query = `${operation} { ${callOf(field)} }`;
        const counts = [(await tells(person, query)).length, (await tells(key, query)).length];
        expect([field.name, ...counts]).toEqual([field.name, isAllowed ? 0 : 1, isAllowed ? 0 : 1]);
      }
    },
  );

  test.each(keyScopes)(
    'a key with %s has the objects of its areas by node, and is told nothing of others',
    async (scope) => {
      const client = clientOf(scope);
      const look = (id: string) => client.graphql('query ($id: ID!) { node(id: $id) { id } }', { id });
      for (const name of Object.keys(kinds)) {
        // `Object.keys` loses the type of the kinds.
        const kind = kinds[name as Kind];
        const area = areaOf(name as Kind);
        if (!('path' in kind) || area === null || !isTried(scope, [area])) continue;
        const { data, errors } = await look(owned(kind.path));
        const instead = narrowFor((each) => each.kinds.includes(name));
        const isAllowed = isEnough(scope, [area], 'read', instead);
        expect([kind.path, data, errors?.[0]?.message]).toEqual([
          kind.path,
          isAllowed ? { node: { id: owned(kind.path) } } : { node: null },
          isAllowed ? undefined : `The API key lacks ${lacking([area], 'read', instead)}; it has "${scope}".`,
        ]);
        const never = await look(neverId(owned)(kind.path));
        expect(never).toEqual(
          isAllowed ? { status: 200, data: { node: null }, errors: undefined } : { status: 200, data, errors },
        );
      }
    },
  );

  /** Returns the kind of the objects that a type represents or lists; null if there is none. */
  const kindOf = (typeName: string): Kind | null => {
    const name = isKind(typeName) ? typeName : typeName.replace(/Connection$/, '');
    return isKind(name) ? name : null;
  };
  /** Writes a field that leads to objects, with their ids as the selection. */
  const idsOf = (field: Field) =>
    callOf(field, getNamedType(field.type).name.endsWith('Connection') ? '{ nodes { id } }' : '{ id }');

  /** The fields that lead from objects, or parts of objects, to objects of an area, with their types. */
  const leading = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) || ['Query', 'Mutation'].includes(type.name) || type.name.startsWith('__')) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const kind = kindOf(getNamedType(field.type).name);
      const area = kind === null ? null : areaOf(kind);
      return area === null ? [] : [{ type: type.name, field, area }];
    });
  });

  /** How the query leads to each type: documents in which `HERE` is the place of the type's selection. */
  const waysTo = new Map<string, { document: string; areas: readonly string[] }>();
  const explore = (typeName: string, document: string, areas: readonly string[]) => {
    if (waysTo.has(typeName)) return [];
    waysTo.set(typeName, { document, areas });
    return fieldsOf(typeName).flatMap((field) => {
      const { name } = getNamedType(field.type);
      if (isLeafType(getNamedType(field.type)) || field.name === 'node') return [];
      const kind = kindOf(name);
      const own = kind === null ? [] : [areaOf(kind) ?? ''];
      const next = typeName === 'Query' ? (areasOfRoots.get(field.name) ?? []) : [...areas, ...own];
      return [[name, document.replace('HERE', callOf(field, '{ HERE }')), next] as const];
    });
  };
  for (let found = explore('Query', '{ HERE }', []); found.length > 0; ) {
    found = found.flatMap(([name, document, areas]) => explore(name, document, areas));
  }

  const crossing = leading.filter(({ type, area }) => !waysTo.get(type)?.areas.includes(area) && waysTo.has(type));

  test('some fields lead from one area to another', () => {
    const crossed = crossing.map(({ type, field }) => `${type}.${field.name}`).sort();
    const resource = schema.getType('Resource');
    const resources = isInterfaceType(resource) ? schema.getPossibleTypes(resource).map(({ name }) => name) : [];
    // Every object leads to the trail.
    expect(resources).toContain('IpPolicy');
    expect(crossed.filter((name) => name.endsWith('.history'))).toEqual(
      resources.map((name) => `${name}.history`).sort(),
    );
    expect(crossed.filter((name) => !name.endsWith('.history'))).toEqual([
      'ApiKey.person',
      'DashboardSession.person',
      'HttpsBackendModule.backend',
      'HttpsEdge.expectations',
      'HttpsEdgeRoute.expectations',
      'HttpsEdgeRouteImpact.httpsEdgeRoute',
      'HttpsIpRestrictionModule.ipPolicies',
      'IpPolicy.expectations',
      'IpPolicy.httpsEdgeRoutes',
      'IpPolicy.restrictions',
      'IpPolicy.tlsEdges',
      'IpRestriction.expectations',
      'IpRestriction.ipPolicies',
      'SshCertificateAuthority.expectations',
      'SshEnrollmentToken.expectations',
      'SshHostCertificate.expectations',
      'TlsBackendModule.backend',
      'TlsEdge.expectations',
      'TlsEdgeImpact.tlsEdge',
      'TlsIpRestrictionModule.ipPolicies',
      'TunnelGroupBackend.httpsEdgeRoutes',
      'TunnelGroupBackend.tlsEdges',
      'Viewer.apiKey',
      'Viewer.dashboardSession',
      'Viewer.person',
      'Viewer.personalApiKeys',
    ]);
  });

  test.each(
    crossing.filter(({ type }) => type !== 'Viewer').map((each) => [`${each.type}.${each.field.name}`, each] as const),
  )('%s is no way around a missing scope', async (_name, { type, field, area }) => {
    const way = waysTo.get(type) ?? { document: '', areas: [] };
    const query = way.document.replace('HERE', idsOf(field));
    const scopes = way.areas
      .map((each) => keyScopes.find((scope) => scope === `${each}:read`))
      .filter((scope) => scope !== undefined);
    const had = await clientWith(...scopes);
    const answer = await had.graphql(query);
    expect(answer.errors?.map(({ message }) => message)).toEqual([
      expect.stringContaining(`lacks "${area}:read"; it has`),
    ]);
    expect(Object.values(answer.data)).toEqual([null]);
    const [needed] = keyScopes.filter((scope) => scope === `${area}:read`);
    const enough = await clientWith(...scopes, ...(needed === undefined ? [] : [needed]));
    expect(await messagesOf(enough, query)).toEqual([]);
  });

  test('every field that leads to an object refuses it, whatever led there', async () => {
    for (const { type, field, area } of leading) {
      if (!isKind(type) || !hasCollection(type)) continue;
      const others = keyScopes.filter((scope) => scope.endsWith(':read') && scope !== `${area}:read`);
      const client = await clientWith(...others);
      const query = `{ node(id: "${owned(kinds[type].path)}") { ... on ${type} { ${idsOf(field)} } } }`;
      const { data, errors } = await client.graphql(query);
      const isWhole = isNonNullType(field.type) || areaOf(type) === area;
      const node = isWhole ? null : { [field.name]: null };
      expect([type, field.name, data, errors?.length]).toEqual([type, field.name, { node }, 1]);
      expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    }
  });

  test('makes no change whose answer would be refused', async () => {
    const client = await clientWith('ip-policies:write');
    const create = (selection: string) =>
      client.graphql(`mutation { createIpPolicy(input: { description: "unseen" }) { ipPolicy { ${selection} } } }`);
    const count = async () => (await service.graphql('{ ipPolicies { totalCount } }')).data.ipPolicies.totalCount;
    const before = await count();
    const selections = [
      'restrictions { nodes { id } }',
      '... on IpPolicy { id a: restrictions { nodes { __typename } } }',
      '... on Resource { id ... on IpPolicy { restrictions { nodes { id } } } }',
      'restrictions @include(if: true) { totalCount }',
    ];
    for (const selection of selections) {
      const { data, errors } = await create(selection);
      expect([data, errors?.map(({ message }) => message)]).toEqual([
        { createIpPolicy: null },
        ['The API key lacks "ip-restrictions:read"; it has "ip-policies:write".'],
      ]);
    }
    expect(await count()).toBe(before);
    expect((await create('rules { nodes { id } }')).errors).toBeUndefined();
    expect(await count()).toBe(before + 1);
  });

  test('opens nothing by what a document says of its directives', async () => {
    const client = await clientWith('ip-policies:read');
    const refused = 'FORBIDDEN';
    const users = 'restrictions { totalCount }';
    const page = (selection: string) => `{ ipPolicies(first: 1) { nodes { id ${selection} } } }`;
    const cases: readonly (readonly [string, object, unknown])[] = [
      // Defaults of variables, with and without a given value.
      [`query ($a: Boolean = true) ${page(`a: ${users} r: restrictions @skip(if: $a) { totalCount }`)}`, {}, refused],
      [`query ($a: Boolean = true) ${page(`r: restrictions @skip(if: $a) { totalCount }`)}`, {}, undefined],
      [`query ($a: Boolean = true) ${page(`r: restrictions @skip(if: $a) { totalCount }`)}`, { a: false }, refused],
      [`query ($a: Boolean = false) ${page(`r: restrictions @include(if: $a) { totalCount }`)}`, {}, undefined],
      // Invalid values, and undeclared variables.
      [
        `query ($a: Boolean = true) ${page(`r: restrictions @skip(if: $a) { totalCount }`)}`,
        { a: null },
        'INVALID_INPUT',
      ],
      [`query ($a: Boolean!) ${page(`r: restrictions @skip(if: $a) { totalCount }`)}`, { a: 'true' }, 'INVALID_INPUT'],
      [`query ($a: Boolean!) ${page(`r: restrictions @skip(if: $a) { totalCount }`)}`, {}, 'INVALID_INPUT'],
      [page('r: restrictions @skip(if: $a) { totalCount }'), { a: true }, 'GRAPHQL_INVALID'],
      // The same field twice, once left out; and both directives at once.
      [`query ($a: Boolean!) ${page(`restrictions @skip(if: $a) { totalCount } ${users}`)}`, { a: true }, refused],
      [page('restrictions @skip(if: false) @include(if: false) { totalCount }'), {}, undefined],
      [page('restrictions @skip(if: true) @include(if: true) { totalCount }'), {}, undefined],
      [page('restrictions @skip(if: false) @include(if: true) { totalCount }'), {}, refused],
      // A fragment that is spread twice, once left out; and nested fragments.
      [
        `query ($a: Boolean!) ${page('...F @skip(if: $a) ...F')} fragment F on IpPolicy { ${users} }`,
        { a: true },
        refused,
      ],
      [
        `query ($a: Boolean!) ${page('...F')} fragment F on Resource { ...G @include(if: $a) } fragment G on Node { ... on IpPolicy { ${users} } }`,
        { a: true },
        refused,
      ],
      [
        `query ($a: Boolean!) ${page('...F')} fragment F on Resource { ...G @include(if: $a) } fragment G on Node { ... on IpPolicy { ${users} } }`,
        { a: false },
        undefined,
      ],
      [`query ($a: Boolean!) ${page(`... @include(if: $a) { ... on IpPolicy { ${users} } }`)}`, { a: true }, refused],
      [
        `query ($a: Boolean!) ${page(`... @include(if: $a) { ... on IpPolicy { ${users} } }`)}`,
        { a: false },
        undefined,
      ],
      // At the top level of the operation.
      [
        'query ($a: Boolean!) { apiKeys @include(if: $a) { totalCount } viewer { account { name } } }',
        { a: true },
        refused,
      ],
      [
        'query ($a: Boolean!) { apiKeys @include(if: $a) { totalCount } viewer { account { name } } }',
        { a: false },
        undefined,
      ],
    ];
    for (const [query, variables, expected] of cases) {
      const { data, errors } = await client.graphql(query, { ...variables });
      expect([query, variables, errors?.[0]?.extensions.code]).toEqual([query, variables, expected]);
      if (expected !== undefined) expect(JSON.stringify(data ?? null)).not.toContain('totalCount');
    }
  });

  test('makes no change for an answer that directives let a key see too little of', async () => {
    const client = await clientWith('ip-policies:write');
    const create = `mutation ($a: Boolean!) { createIpPolicy(input: {}) { ipPolicy { id ...F @include(if: $a) } } }
      fragment F on IpPolicy { restrictions { totalCount } }`;
    const count = async () => (await service.graphql('{ ipPolicies { totalCount } }')).data.ipPolicies.totalCount;
    const before = await count();
    expect((await client.graphql(create, { a: true })).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(await count()).toBe(before);
    expect((await client.graphql(create, { a: false })).errors).toBeUndefined();
    expect(await count()).toBe(before + 1);
    const skipped =
      'mutation ($a: Boolean!) { createIpRestriction(input: { type: api, ipPolicyIds: [] }) @skip(if: $a) { ipRestriction { id } } }';
    expect((await client.graphql(skipped, { a: true })).errors).toBeUndefined();
    expect((await client.graphql(skipped, { a: false })).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});
