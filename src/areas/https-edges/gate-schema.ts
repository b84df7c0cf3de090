// What the gate would decide about a request, in GraphQL.

import { readScopes } from '../../domain/access/key-scopes.ts';
import { readPassRight } from '../../domain/access/pass-right.ts';
import { invalid, notFound } from '../../domain/errors.ts';
import {
  decideBeforeLogin,
  decideKey,
  decideLogin,
  type GateCheck,
  type GateDecision,
  type GateEffect,
  type GateStep,
  type LoginNeeded,
  type ProgramKey,
  refuseMalformed,
} from '../../domain/gate/decide.ts';
import type { EdgeTable } from '../../domain/gate/edge-table.ts';
import type { Session } from '../../domain/gate/login.ts';
import { livingRule } from '../../domain/gate/shared-sessions.ts';
import { splitUrl } from '../../domain/gate/url.ts';
import { parseAddress } from '../../domain/ip/cidr.ts';
import { restrictionNamesFor } from '../../domain/wording.ts';
import { loadByIds } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { needs, refusalOf } from '../../graphql/wrappers/rights.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { httpsEdgeRoutes, loginSessions } from './collections-store.ts';
import { personOf } from './login-session-store.ts';

const apiKeys = collectionOf('ApiKey');

const GateCheckEnum = enumOf<GateCheck>(
  'GateCheck',
  'A check of the gate. Checks run in this order until one refuses.',
  {
    request: 'The request is readable.',
    host: 'The host and port are among those of the edge.',
    path: 'The path cannot be read in two ways by different programs.',
    route: 'A route of the edge matches the path.',
    address: 'The IP restrictions of type `endpoints` allow the address.',
    ip_restriction:
      'The IP restriction module of the route allows the address. Where that suffices, no further check runs.',
    login: 'There is a session where the login module of the route requires one.',
    key: 'In place of a login: the API key that a program brings has the scope `gate:pass`, for this edge and route.',
    groups: 'The user, or the program, is in a group that the login module authorizes.',
  },
);

const GateEffectEnum = enumOf<GateEffect>('GateEffect', 'What a check does with a request.', {
  pass: 'Lets it pass.',
  warn: 'Lets it pass, with a warning.',
  refuse: 'Refuses it.',
});

const GateStepRef = builder.objectRef<GateStep>('GateStep').implement({
  description: 'A check that the gate ran.',
  fields: (t) => ({
    check: t.field({ type: GateCheckEnum, description: 'The check.', resolve: ({ check }) => check }),
    effect: t.field({ type: GateEffectEnum, description: 'What it does.', resolve: ({ effect }) => effect }),
    message: t.string({ description: 'A sentence that says why.', resolve: ({ message }) => message() }),
  }),
});

const GateEvaluation = builder.objectRef<GateDecision>('GateEvaluation').implement({
  description: 'What the gate would decide about a request, and why.',
  fields: (t) => ({
    allowed: t.exposeBoolean('allowed', { description: 'Whether the request would pass.' }),
    route: t.field({
      type: 'HttpsEdgeRoute',
      nullable: true,
      description: 'The route that matches the path; null if the request is refused before there is one.',
      resolve: async ({ routeId }, _args, context, info) => {
        if (routeId === null) return null;
        const [route] = await loadByIds(httpsEdgeRoutes, [routeId], context, info);
        return route;
      },
    }),
    steps: t.field({
      type: [GateStepRef],
      complexity: { multiplier: 7 },
      description: 'The checks that ran, in order.',
      resolve: ({ steps }) => steps,
    }),
  }),
});

/** Maximum number of groups of a user; identity providers send a few hundred. */
const userGroupsMax = 1_000;

builder.queryField('evaluateGate', (t) =>
  t.field({
    type: GateEvaluation,
    nullable: true,
    extensions: { ...needs('https-edges:read', 'ip-restrictions:read', 'ip-policies:read'), enough: 'gate' },
    // Evaluates all IP restrictions of the account.
    complexity: { field: 1_000 },
    description:
      'Returns what the gate would tell a proxy about a request to an HTTPS edge, and why, by the current rules.',
    args: {
      edge: t.arg.id({ required: true, description: 'Identifier of the HTTPS edge.' }),
      url: t.arg.string({
        required: true,
        description: 'The URL of the request as the client sent it, such as `https://app.example.com/reports?page=2`.',
      }),
      method: t.arg.string({ required: true, defaultValue: 'GET', description: 'The method of the request.' }),
      address: t.arg({ type: 'IpAddress', required: true, description: 'The address of the client.' }),
      groups: t.arg.stringList({
        description:
          `The groups of the user, as the identity provider names them; at most ${userGroupsMax}. Null, the default, means ` +
          'a client that has not logged in.',
        extensions: { jsonSchema: { maxItems: userGroupsMax } },
      }),
      session: t.arg.id({
        description:
          'Identifier of a session of the account: what its user may do with it, at its route and its host. Not together with ' +
          '`groups`.',
      }),
      key: t.arg.id({
        description:
          'Identifier of an API key of the account: whether a program with it may pass. Needs `api-keys:read`. Not together with ' +
          '`groups` or `session`.',
      }),
    },
    resolve: async (_root, { edge, url, method, address, groups, session: id, key: keyId }, context) => {
      const { gateRulesFor, scope, identity } = context;
      if (groups != null && id != null) throw invalid('session', 'must not be given together with `groups`.');
      if (keyId != null && (groups != null || id != null)) {
        throw invalid('key', 'must not be given together with `groups` or `session`.');
      }
      const refusal = keyId == null ? null : refusalOf(context, needs('api-keys:read'));
      if (refusal !== null) throw refusal;
      const client = parseAddress('address', address);
      const rules = await gateRulesFor(edge, client);
      if (rules === null) throw notFound();
      const parts = splitUrl(url);
      if (parts === null) return refuseMalformed('The URL must have a scheme, a host and a path.');
      const key = keyId == null ? null : await apiKeys.get(scope, keyId);
      const row = id == null ? null : await loginSessions.get(scope, id);
      // The scope `gate` suffices, which does not include reading restrictions.
      const nameOf = restrictionNamesFor(identity.rights);
      const found = decideBeforeLogin(rules, { method, ...parts, address: client }, nameOf);
      if (!('login' in found)) return found;
      if (key !== null) return decideKey(found, rules.edge, usableKey(key, scope.now()));
      const someone = groups == null ? null : { user: '', email: null, name: null, groups, attributeNames: null };
      return decideLogin(found, row === null ? someone : usableAt(row, rules.edge, found, scope.now()));
    },
  }),
);

/** Returns an API key if the gate would take it; null if it has expired. */
function usableKey({ id, scopes, expiresAt, passGroups, passAt }: Row<'ApiKey'>, now: Date): ProgramKey | null {
  if (expiresAt !== null && expiresAt <= now) return null;
  return { id, pass: readPassRight(readScopes(scopes), passGroups, passAt) };
}

/** Returns a session if the gate would take it for a request; null otherwise. */
function usableAt(
  row: Row<'LoginSession'>,
  edge: EdgeTable,
  { route, login, hostport }: LoginNeeded,
  now: Date,
): Session | null {
  const at = { routeId: route.id, rule: login.sessions, others: edge.othersOf(route) };
  return livingRule(row, at, hostport, now) === null ? null : personOf(row);
}
