// The decision of the gate: whole answers for each check.

import { describe, expect, test } from 'vitest';
import { decide, type GateRequest, type Objections } from '../../../src/domain/gate/decide.ts';
import { type AddressRule, compileEdge, type LoginRule, type RouteRule } from '../../../src/domain/gate/edge-table.ts';
import type { Session } from '../../../src/domain/gate/login.ts';
import { parseAddress } from '../../../src/domain/ip/cidr.ts';
import { compileRules } from '../../../src/domain/ip/rule-table.ts';

const login = (rule: Partial<LoginRule> = {}): LoginRule => ({
  kind: 'saml',
  enabled: true,
  optionsPassthrough: false,
  authorizedGroups: new Set(),
  sessions: { cookiePrefix: 'sallyport.', issuer: 'https://idp', inactivitySeconds: 0, maximumSeconds: 0 },
  forceAuthn: false,
  allowIdpInitiated: true,
  vouching: '',
  ...rule,
});
const route = (id: string, match: string, rule: LoginRule | null = null, exact = false): RouteRule => ({
  id,
  matchType: exact ? 'exact_path' : 'path_prefix',
  match,
  login: rule,
  ipRestriction: null,
});
/** Returns a route that only lets one address in, with a policy of no rules beside that of the address. */
const guarded = (match: string, rule: LoginRule | null, module: Partial<AddressRule>): RouteRule => ({
  ...route(match, match, rule),
  ipRestriction: {
    enabled: true,
    mode: 'require',
    tables: [compileRules([]), compileRules([{ id: 'ipr_1', action: 'allow', range: '198.51.100.7/32' }])],
    ...module,
  },
});

const routes = [
  route('rt_1', '/app'),
  route('rt_2', '/app/admin', login()),
  route('rt_3', '/app/admin/help', null, true),
  route('rt_4', '/off', login({ enabled: false })),
  route('rt_5', '/cors', login({ optionsPassthrough: true })),
  route('rt_6', '/staff', login({ authorizedGroups: new Set(['staff', 'Domain Admins']) })),
  route('rt_7', '/caf\u00e9'),
  route('rt_8', '/caf%C3%A9', login()),
  guarded('/require', login(), {}),
  guarded('/suffice', login(), { mode: 'suffice' }),
  guarded('/only', login({ enabled: false }), { mode: 'suffice' }),
  guarded('/disabled', login(), { enabled: false }),
];
const edge = compileEdge({
  id: 'edghts_1',
  accountId: 'acct_1',
  signsIdentity: false,
  forwardsKeys: false,
  hostports: ['app.example.com:443', 'app.example.com:8443', '*.apps.example.com:443'],
  routes,
});
const office = { id: 'ipx_1', description: 'offices only' };
const other = { id: 'ipx_2', description: '' };
const noObjections: Objections = { refusedBy: [], wouldRefuse: [] };
const session: Session = { user: 'jo', email: null, name: null, groups: [' staff ', 'other'], attributeNames: null };

const ask = (
  given: Partial<GateRequest> = {},
  { objections = noObjections, as = null, allowSemicolon = false }: Partial<Asking> = {},
) => {
  const address = parseAddress('address', '203.0.113.7');
  const request = { method: 'GET', scheme: 'https', host: 'app.example.com', target: '/app', address, ...given };
  const { steps, ...decision } = decide({ edge, objections, allowSemicolon }, request, as);
  return { ...decision, steps: steps.map(({ message, ...step }) => ({ ...step, message: message() })) };
};
interface Asking {
  objections: Objections;
  as: Session | null;
  allowSemicolon: boolean;
}
/** Returns the check that refused and the route; null if the request is allowed. */
const refusalOf = (...asked: Parameters<typeof ask>) => {
  const { allowed, steps, routeId } = ask(...asked);
  return allowed ? null : [steps.at(-1)?.check, routeId];
};

const passes = (check: string, message: string) => ({ check, effect: 'pass', message });
const served = passes('host', 'The edge serves app.example.com:443.');
const clear = passes('path', 'The path is unambiguous.');
const fromAnywhere = passes('address', 'No IP restriction refuses the address.');

describe('the IP restriction module of a route', () => {
  const inside = parseAddress('address', '198.51.100.7');
  /** Returns the effect and message of the step of the module, and the check that ends the decision. */
  const judged = (...asked: Parameters<typeof ask>) => {
    const { allowed, steps } = ask(...asked);
    const step = steps.find(({ check }) => check === 'ip_restriction');
    return [
      allowed,
      steps.at(-1)?.check,
      step?.effect,
      step?.message.replace('The IP restriction module of the route', ''),
    ];
  };

  test.each([
    ['/require', inside, null, [false, 'login', 'pass', ' allows 198.51.100.7.']],
    ['/require', inside, session, [true, 'groups', 'pass', ' allows 198.51.100.7.']],
    ['/require', undefined, session, [false, 'ip_restriction', 'refuse', ' does not allow 203.0.113.7.']],
    ['/suffice', undefined, null, [false, 'login', 'pass', ' does not allow 203.0.113.7: a login is needed.']],
    ['/suffice', undefined, session, [true, 'groups', 'pass', ' does not allow 203.0.113.7: a login is needed.']],
    [
      '/only',
      undefined,
      null,
      [false, 'ip_restriction', 'refuse', ' does not allow 203.0.113.7, and the route has no login.'],
    ],
    ['/disabled', undefined, null, [false, 'login', 'pass', ' is disabled.']],
  ])('%s from %s', (target, address, as, expected) => {
    expect(judged({ target, ...(address && { address }) }, { as })).toEqual(expected);
  });

  test('is asked after the restrictions of the account', () => {
    const objections = { refusedBy: [office], wouldRefuse: [] };
    expect(refusalOf({ target: '/suffice', address: inside }, { objections })).toEqual(['address', '/suffice']);
  });
});

describe('whole decisions', () => {
  test('a request to an open route', () => {
    expect(ask()).toEqual({
      allowed: true,
      steps: [
        served,
        clear,
        passes('route', 'The path_prefix /app matches.'),
        fromAnywhere,
        passes('login', 'The route has no login module.'),
      ],
      routeId: 'rt_1',
    });
  });

  test('a request without a session to a route that requires one', () => {
    expect(ask({ target: '/app/admin/users?all' })).toEqual({
      allowed: false,
      steps: [
        served,
        clear,
        passes('route', 'The path_prefix /app/admin matches.'),
        fromAnywhere,
        { check: 'login', effect: 'refuse', message: 'The route requires a login, and there is no session.' },
      ],
      routeId: 'rt_2',
    });
  });

  test('a request from an address that suffices, whoever sends it', () => {
    expect(ask({ target: '/suffice', address: parseAddress('address', '198.51.100.7') }, { as: session })).toEqual({
      allowed: true,
      steps: [
        served,
        clear,
        passes('route', 'The path_prefix /suffice matches.'),
        fromAnywhere,
        passes(
          'ip_restriction',
          'The IP restriction module of the route allows 198.51.100.7, which suffices: no login is needed.',
        ),
      ],
      routeId: '/suffice',
    });
  });

  test('a request with a session of an authorized group', () => {
    expect(ask({ target: '/staff' }, { as: session })).toEqual({
      allowed: true,
      steps: [
        served,
        clear,
        passes('route', 'The path_prefix /staff matches.'),
        fromAnywhere,
        passes('login', 'There is a session.'),
        passes('groups', 'The user is in an authorized group.'),
      ],
      routeId: 'rt_6',
    });
  });

  test('a request from an address that enforced restrictions refuse', () => {
    expect(ask({}, { objections: { refusedBy: [office, other], wouldRefuse: [other] } })).toEqual({
      allowed: false,
      steps: [
        served,
        clear,
        passes('route', 'The path_prefix /app matches.'),
        { check: 'address', effect: 'refuse', message: 'The IP restriction "offices only" refuses 203.0.113.7.' },
      ],
      routeId: 'rt_1',
    });
  });

  test('a request from an address that only restrictions refuse that are not enforced', () => {
    const { allowed, steps } = ask({}, { objections: { refusedBy: [], wouldRefuse: [other] } });
    const message = 'The IP restriction without description (ipx_2), which is not enforced, would refuse 203.0.113.7.';
    expect([allowed, steps[3]]).toEqual([true, { check: 'address', effect: 'warn', message }]);
  });

  test('a request to another host', () => {
    expect(ask({ host: 'app.example.com:444' })).toEqual({
      allowed: false,
      steps: [{ check: 'host', effect: 'refuse', message: 'The edge does not serve app.example.com:444.' }],
      routeId: null,
    });
  });

  test('a request whose path can be read in two ways', () => {
    expect(ask({ target: '/app/%2e%2e/x' })).toEqual({
      allowed: false,
      steps: [
        served,
        {
          check: 'path',
          effect: 'refuse',
          message: 'The path has a segment "." or "..": programs could read it differently.',
        },
      ],
      routeId: null,
    });
  });
});

describe('the request', () => {
  test.each([
    [{ method: '' }],
    [{ method: 'GET /' }],
    [{ method: 'G\u00c4T' }],
    [{ scheme: 'gopher' }],
    [{ host: 'app.example.com, app.example.com' }],
    [{ host: '' }],
  ])('%j is malformed', (given) => {
    expect(refusalOf(given)).toEqual(['request', null]);
  });
});

describe('the host', () => {
  test.each([
    ['https', 'app.example.com', null],
    ['https', 'APP.example.com', null],
    ['https', 'app.example.com:8443', null],
    ['https', 'one.apps.example.com', null],
    ['https', 'apps.example.com', 'host'],
    ['https', 'a.b.apps.example.com', 'host'],
    ['https', 'one.apps.example.com:8443', 'host'],
    ['http', 'app.example.com', 'host'],
    ['https', 'evil.example', 'host'],
  ])('%s://%s: %s', (scheme, host, refused) => {
    expect(refusalOf({ scheme, host })?.[0] ?? null).toBe(refused);
  });

  test('an edge without hosts serves none', () => {
    const nowhere = compileEdge({ ...edge, hostports: [] });
    const asked = { method: 'GET', scheme: 'https', host: 'app.example.com', target: '/app' };
    const rules = { edge: nowhere, objections: noObjections, allowSemicolon: false };
    expect(decide(rules, { ...asked, address: parseAddress('address', '::1') }, null).allowed).toBe(false);
  });
});

describe('the route', () => {
  test.each([
    ['/app', 'rt_1'],
    ['/apple', 'rt_1'],
    ['/app/', 'rt_1'],
    ['/app/admin', 'rt_2'],
    ['/app/admin/help', 'rt_3'],
    ['/app/admin/help/', 'rt_2'],
    ['/app/adm%69n/help', 'rt_3'],
    ['/App', null],
    ['/', null],
    ['/other', null],
    // Of two routes with the same path, the older one counts.
    ['/caf%C3%A9', 'rt_7'],
  ])('of %s is %s', (target, routeId) => {
    expect(ask({ target }).routeId).toBe(routeId);
  });

  test('is refused where none matches', () => {
    expect(refusalOf({ target: '/other' })).toEqual(['route', null]);
  });
});

describe('the login', () => {
  const staffless = { ...session, groups: ['Staff', 'staff2', 'domain admins', ''] };
  test.each([
    ['a disabled module lets everybody pass', { target: '/off' }, {}, null],
    ['OPTIONS pass where they may', { target: '/cors', method: 'OPTIONS' }, {}, null],
    ['other methods do not', { target: '/cors', method: 'options' }, {}, ['login', 'rt_5']],
    ['OPTIONS do not pass elsewhere', { target: '/app/admin', method: 'OPTIONS' }, {}, ['login', 'rt_2']],
    ['a session passes', { target: '/app/admin' }, { as: { ...session, groups: [] } }, null],
    ['a session without an authorized group does not', { target: '/staff' }, { as: staffless }, ['groups', 'rt_6']],
    [
      'an address that is refused is not asked to log in',
      { target: '/app/admin' },
      { objections: { refusedBy: [office], wouldRefuse: [] } },
      ['address', 'rt_2'],
    ],
  ])('%s', (_, given, asking, refused) => {
    expect(refusalOf(given, asking)).toEqual(refused);
  });
});
