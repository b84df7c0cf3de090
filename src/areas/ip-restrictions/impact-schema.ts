// The GraphQL preview of whom a change would keep out or let in.

import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { firstRanges, includes, type ShownRange, setSize } from '../../domain/ip/address-set.ts';
import { trafficOf } from '../../domain/ip/own-traffic.ts';
import type { Impact } from '../../domain/ip/restriction-impact.ts';
import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { loadByIds } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { namedBy } from '../../graphql/kit/column-fields.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { policyIdsDescription, policyIdsLimit } from '../../graphql/kit/ip-policy-list.ts';
import { IpRestrictionType } from '../../graphql/kit/ip-restriction-type.ts';
import { mayRead, needs } from '../../graphql/wrappers/rights.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import { objectsOfLookup, searchCost } from '../../load/limits.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { type DoorImpact, impactsOnDoors } from './door-impact-store.ts';
import * as doors from './door-store.ts';
import {
  type Asking,
  impactOfRestrictionChange,
  impactsOfPolicyChange,
  type RestrictionImpact,
} from './impact-store.ts';
import { comparedRestrictionsMax, seenAddressesMax, seenDays } from './rules.ts';
import { addressesSeen, type SeenAddress } from './seen-store.ts';
import { ipRestrictions } from './store.ts';

const httpsEdgeRoutes = collectionOf('HttpsEdgeRoute');
const tlsEdges = collectionOf('TlsEdge');

/** Cost of comparing restrictions, whatever policies they refer to: high enough that the comparison is done in slices. */
const comparisonCost = 2_500;
const rangesMax = 100;
const usualRanges = { multiplier: 20 };

const AddressRange = builder.objectRef<ShownRange>('AddressRange').implement({
  description: 'IP addresses from the first to the last.',
  fields: (t) => ({
    first: t.expose('first', { type: 'IpAddress', description: 'The lowest address.' }),
    last: t.expose('last', { type: 'IpAddress', description: 'The highest address.' }),
    text: t.exposeString('text', {
      description: 'The range in CIDR notation where possible, such as `10.0.0.0/8`, otherwise as `10.0.0.1-10.0.0.9`.',
    }),
  }),
});

const SeenAddressType = builder.objectRef<SeenAddress>('SeenAddress').implement({
  description: 'A source address of recent traffic.',
  fields: (t) => ({
    address: t.field({ type: 'IpAddress', description: 'The address.', resolve: ({ address }) => `${address}` }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', description: 'When it was last seen.' }),
    who: t.exposeString('who', {
      description:
        'Who last used it: the description of an API key (or its identifier if it has none), or the name of a user.',
    }),
  }),
});

/** What a change would do at a restriction or a door. */
type AnyImpact = Impact & Pick<RestrictionImpact, 'type'>;

const IpImpact = builder.interfaceRef<AnyImpact>('IpImpact').implement({
  description: 'Whom a change would newly refuse or allow at one place that restricts addresses.',
  fields: (t) => ({
    newlyRefused: t.field({
      type: [AddressRange],
      complexity: usualRanges,
      description: `Addresses that are allowed now but would not be any more, in ascending order, IPv4 first; the first ${rangesMax} ranges.`,
      resolve: ({ newlyRefused }) => firstRanges(newlyRefused, rangesMax),
    }),
    newlyRefusedCount: t.int({
      description: 'The number of ranges that would be newly refused.',
      resolve: ({ newlyRefused }) => setSize(newlyRefused),
    }),
    newlyAllowed: t.field({
      type: [AddressRange],
      complexity: usualRanges,
      description: `Addresses that are not allowed now but would be, in the same order; the first ${rangesMax} ranges.`,
      resolve: ({ newlyAllowed }) => firstRanges(newlyAllowed, rangesMax),
    }),
    newlyAllowedCount: t.int({
      description: 'The number of ranges that would be newly allowed.',
      resolve: ({ newlyAllowed }) => setSize(newlyAllowed),
    }),
    seen: t.field({
      type: [SeenAddressType],
      // Scans the audit trail and the sessions, once for all restrictions of a type.
      complexity: { field: searchCost, multiplier: 20 },
      extensions: needs('audit-events:read', 'https-edges:read'),
      description:
        `Addresses that would be newly refused and were seen within the last ${seenDays} days, latest first; at most ` +
        `${seenAddressesMax}. They come from the audit trail (for \`api\`, changes by API keys; for \`dashboard\`, changes and sign-ins at ` +
        'the dashboard; for `agent`, changes by programs on hosts; both also count for `api` while restrictions of that type apply to them; ' +
        'for `endpoints`, logins) and from open sessions, those of the dashboard only for keys with `api-keys:read`. Requests that only ' +
        'read leave no trace.',
      resolve: async ({ type, newlyRefused }, _args, context) => {
        const seen = setSize(newlyRefused) === 0 ? [] : await seenFor(context, type);
        const find = () => seen.filter(({ address }) => includes(newlyRefused, address)).slice(0, seenAddressesMax);
        return whenItMayGoOn(context, seen.length * lookUpCost, find);
      },
    }),
  }),
});

const IpRestrictionImpact = builder.objectRef<RestrictionImpact>('IpRestrictionImpact').implement({
  interfaces: [IpImpact],
  description: 'Whom a change would newly refuse or allow at one IP restriction.',
  fields: (t) => ({
    restriction: t.field({
      type: 'IpRestriction',
      nullable: true,
      description: 'The restriction as it is now; null if it does not exist yet.',
      resolve: async ({ restrictionId }, _args, context, info) => {
        if (restrictionId === null) return null;
        const [restriction] = await loadByIds(ipRestrictions, [restrictionId], context, info);
        if (restriction !== undefined) return restriction;
        throw new SallyportError('UNAVAILABLE', 'The restriction was deleted meanwhile. Retry in a few seconds.');
      },
    }),
    enforced: t.exposeBoolean('enforced', {
      description:
        'Whether the restriction refuses traffic after the change. If false, it only warns, and the ranges show whom it would ' +
        'refuse or allow if it were enforced.',
    }),
    refusesYou: t.exposeBoolean('refusesYou', {
      description:
        'Whether requests like this one would be refused after the change, which therefore fails with LOCKOUT unless it is forced: the ' +
        'restriction is enforced, applies to such requests, and does not allow the source address of this one. Type `api` applies to ' +
        'requests with an API key, type `dashboard` to dashboard sessions, type `agent` to programs on hosts, and `api` to either of ' +
        'these as well while no restriction of its own type is enforced. Also true in a session if the restriction is the last enforced one of type `dashboard`, would no longer ' +
        'be enforced, and one of type `api` does not allow the address.',
    }),
  }),
});

const enabledDescription =
  'Whether the module is applied to traffic. If false, the ranges show whom it would refuse or allow if it were.';

const HttpsEdgeRouteImpact = builder.objectRef<DoorImpact>('HttpsEdgeRouteImpact').implement({
  interfaces: [IpImpact],
  description:
    'Whom a change would newly refuse or allow at the IP restriction module of a route. Where an allowed address suffices, those ' +
    'who are refused must log in.',
  fields: (t) => ({
    httpsEdgeRoute: t.field(namedBy('doorId', 'HttpsEdgeRoute', httpsEdgeRoutes, 'The route.')),
    enabled: t.exposeBoolean('enabled', { description: enabledDescription }),
  }),
});

const TlsEdgeImpact = builder.objectRef<DoorImpact>('TlsEdgeImpact').implement({
  interfaces: [IpImpact],
  description: 'Whom a change would newly refuse or allow at the IP restriction module of a TLS edge.',
  fields: (t) => ({
    tlsEdge: t.field(namedBy('doorId', 'TlsEdge', tlsEdges, 'The TLS edge.')),
    enabled: t.exposeBoolean('enabled', { description: enabledDescription }),
  }),
});

// Kept per request, because one document may ask about several restrictions and several changes.
const seenOf = keptOnce((_context: Context) => new Map<RestrictionType, Promise<SeenAddress[]>>());

function seenFor(context: Context, type: RestrictionType): Promise<SeenAddress[]> {
  return getOrInsertComputed(seenOf(context), type, () => {
    context.budget.charge(searchCost);
    return addressesSeen(context.scope, type, mayRead(context, 'DashboardSession'));
  });
}

/** Number of rules compared for the price of one field of an answer. It bounds the answer; it is not the processing cost. */
const rulesInAField = 4;
/** Processing cost of reading and comparing a rule: 4 us (measured). */
const ruleCost = 4;
/** Processing cost of looking an address up among ranges. */
const lookUpCost = 1;

function askingOf(context: Context): Asking {
  return {
    address: context.clientAddress,
    traffic: trafficOf(context.identity),
    charge: (count) => context.budget.count(count / rulesInAField),
    inTurn: async (count, work) => whenItMayGoOn(context, count * ruleCost, work),
  };
}

builder.objectField('IpPolicyChangeEvaluation', 'restrictions', (t) =>
  t.field({
    type: [IpRestrictionImpact],
    complexity: { field: comparisonCost, multiplier: 3 },
    extensions: needs('ip-restrictions:read'),
    description:
      'The effect on each IP restriction that refers to the policy, newest first. QUERY_TOO_COMPLEX for more than ' +
      `${comparedRestrictionsMax} restrictions, or too many rules.`,
    resolve: (change, _args, context) => impactsOfPolicyChange(context.scope, change, askingOf(context)),
  }),
);

const onDoors = `QUERY_TOO_COMPLEX for more than ${comparedRestrictionsMax} of them, or too many rules.`;

builder.objectField('IpPolicyChangeEvaluation', 'httpsEdgeRoutes', (t) =>
  t.field({
    type: [HttpsEdgeRouteImpact],
    complexity: { field: comparisonCost, multiplier: 3 },
    extensions: needs('https-edges:read'),
    description: `The effect on each route whose IP restriction module refers to the policy, newest first. ${onDoors}`,
    resolve: (change, _args, context) =>
      impactsOnDoors(context.scope, doors.httpsEdgeRoutes, change, askingOf(context)),
  }),
);

builder.objectField('IpPolicyChangeEvaluation', 'tlsEdges', (t) =>
  t.field({
    type: [TlsEdgeImpact],
    complexity: { field: comparisonCost, multiplier: 3 },
    extensions: needs('tls-edges:read'),
    description: `The effect on each TLS edge whose IP restriction module refers to the policy, newest first. ${onDoors}`,
    resolve: (change, _args, context) => impactsOnDoors(context.scope, doors.tlsEdges, change, askingOf(context)),
  }),
);

builder.queryField('evaluateIpRestrictionChange', (t) =>
  t.field({
    type: IpRestrictionImpact,
    nullable: true,
    extensions: needs('ip-restrictions:read', 'ip-policies:read'),
    complexity: { field: comparisonCost },
    description:
      'Returns whom an IP restriction would newly refuse or allow if it were created or changed like this, without changing anything. NOT_FOUND ' +
      'if it does not exist.',
    args: {
      id: t.arg.id({
        description: 'Identifier of the restriction to change. Null, the default, means a new restriction.',
      }),
      type: t.arg({
        type: IpRestrictionType,
        required: true,
        description: 'The type of traffic; that of an existing restriction cannot be changed.',
      }),
      enforced: t.arg.boolean({ required: true, description: 'Whether to refuse traffic, or only warn.' }),
      ipPolicyIds: t.arg.idList({
        required: true,
        description: policyIdsDescription,
        extensions: policyIdsLimit,
      }),
      comparedWith: t.arg.idList({
        description:
          'The policies that decide now where no restriction does, such as those of an IP restriction module; not together with ' +
          '`id`. Null, the default, compares a new restriction with letting everybody in.',
        extensions: policyIdsLimit,
      }),
    },
    resolve: (_root, { id, type, enforced, ipPolicyIds, comparedWith }, context) => {
      context.budget.expectObjects(objectsOfLookup);
      context.budget.count(comparisonCost);
      if (id != null && comparedWith != null) throw invalid('comparedWith', 'must not be given together with `id`.');
      const draft = { id: id ?? null, type, enforced, ipPolicyIds, comparedWith: comparedWith ?? null };
      return impactOfRestrictionChange(context.scope, draft, askingOf(context));
    },
  }),
);
