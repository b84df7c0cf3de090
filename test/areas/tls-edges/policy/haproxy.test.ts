// A TLS edge as a configuration of HAProxy, compared as text. `test/interop/exports.test.ts` runs it in HAProxy.

import { describe, expect, it } from 'vitest';
import { type EnforcedEdge, haproxyFiles } from '../../../../src/areas/tls-edges/policy/haproxy.ts';
import { everybody, passedBy } from '../../../../src/domain/ip/address-set.ts';
import { endlessMs } from '../../../../src/domain/ip/rule-end.ts';

const settings = {
  directory: '/etc/haproxy/edge',
  listen: [
    { address: '0.0.0.0', version: 'ipv4' },
    { address: '::', version: 'ipv6' },
  ],
  servers: ['192.0.2.9:443', '[2001:db8::9]:443'],
} as const;
const edge: EnforcedEdge = {
  edgeId: 'edgtls_1',
  hostports: ['www.example.com:443', '*.example.com:443'],
  rules: [],
  ipPolicies: new Map(),
  validUntilMs: endlessMs,
  allowed: { accountId: 'acct_1', enforced: [], leftOut: [], set: everybody, validUntilMs: endlessMs },
  allowedHere: null,
};
/** Returns the lines after the first, which contains their hash. */
const linesOf = (change: Partial<EnforcedEdge>) =>
  haproxyFiles({ ...edge, ...change }, settings).files.map(({ name, text }) => [name, text.split('\n').slice(1, -1)]);

describe('haproxyFiles', () => {
  it('writes frontends for both versions of IP', () => {
    const rules = [
      {
        path: 'inbound[0]',
        rule: {
          expressions: ["conn.tls.sni == 'a.example.com'", "!inCidrRange(conn.client_ip, '10.0.0.0/8')"],
          actions: [{ type: 'restrict-ips', config: { allow: ['192.0.2.0/24'], ip_policies: ['ipp_1', 'ipp_2'] } }],
        },
      },
      { path: 'outbound[0]', rule: { expressions: ['conn.client_port == 25'], actions: [{ type: 'deny' }] } },
    ];
    const ipPolicies = new Map([['ipp_1', [{ action: 'deny', range: '192.0.2.128/25' }]]]);
    const frontend = (version: string, bind: string, address: string, own: string[]) => [
      `frontend ${version}_${address}_443`,
      `    bind ${bind}`,
      '    tcp-request inspect-delay 5s',
      '    acl of_edge req.ssl_sni -i -m str www.example.com',
      '    acl of_edge req.ssl_sni -i -m reg ^[^.]+\\\\.example\\\\.com$',
      '    tcp-request content reject unless { req.ssl_hello_type 1 }',
      '    tcp-request content reject unless of_edge',
      ...own,
      '    tcp-request content reject if { src_port eq 25 }',
      '    tcp-request content accept',
      '    default_backend edge',
    ];
    const list = '/etc/haproxy/edge/inbound-0-actions-0-ipv4.lst';
    const isA = '{ req.ssl_sni -i -m str -- a.example.com }';
    expect(linesOf({ rules, ipPolicies })).toEqual([
      ['inbound-0-actions-0-ipv4.lst', ['192.0.2.0/25']],
      [
        'haproxy.cfg',
        [
          '# No IP restriction of type endpoints is enforced: everybody is allowed.',
          'defaults',
          '    mode tcp',
          '    timeout connect 5s',
          '    timeout client 1m',
          '    timeout server 1m',
          '    timeout tunnel 1h',
          ...frontend('ipv4', '0.0.0.0:443', '0_0_0_0', [
            `    tcp-request content reject if ${isA} !{ src 10.0.0.0/8 } !{ src -f ${list} }`,
          ]),
          ...frontend('ipv6', '[::]:443 v6only', '__', [`    tcp-request content reject if ${isA}`]),
          'backend edge',
          '    balance roundrobin',
          '    default-server check inter 5s fall 2 rise 2 init-addr last,libc,none',
          '    option redispatch 1',
          '    server target_0 192.0.2.9:443',
          '    server target_1 [2001:db8::9]:443',
        ],
      ],
    ]);
  });

  it('refuses everybody where nobody is allowed', () => {
    const allowed = {
      accountId: 'acct_1',
      enforced: ['ipr_1'],
      leftOut: ['ipr_2'],
      set: passedBy([]),
      validUntilMs: endlessMs,
    };
    const [[, lines = []] = []] = linesOf({ allowed });
    expect(lines.slice(0, 3)).toEqual([
      '# Enforced: ipr_1.',
      '# Nobody is allowed.',
      '# Left out, because they only warn: ipr_2.',
    ]);
    expect([...lines].filter((line) => line === '    tcp-request content reject')).toHaveLength(2);
  });

  it('asks the IP restriction module of the edge before the policy', () => {
    const rules = [
      { path: 'inbound[0]', rule: { expressions: ['conn.client_port == 25'], actions: [{ type: 'deny' }] } },
    ];
    const allowedHere = passedBy([{ action: 'allow', range: '192.0.2.0/24' }]);
    const files = linesOf({ rules, allowedHere });
    expect(files[0]).toEqual(['ip-restriction-ipv4.lst', ['192.0.2.0/24']]);
    const refusals = files.at(-1)?.[1] ?? [];
    expect([...refusals].filter((line) => /reject( if|$)/.test(line))).toEqual([
      '    tcp-request content reject if !{ src -f /etc/haproxy/edge/ip-restriction-ipv4.lst }',
      '    tcp-request content reject if { src_port eq 25 }',
      // IPv6, of which the module allows nothing.
      '    tcp-request content reject',
      '    tcp-request content reject if { src_port eq 25 }',
    ]);
  });

  it('spreads what must not hold over lines, where one would have more words than HAProxy reads', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    const expressions = ['conn.client_port < 1024', ...names.map((name) => `conn.tls.sni != '${name}.example.com'`)];
    const rules = [{ path: 'inbound[0]', rule: { expressions, actions: [{ type: 'deny' }] } }];
    const [[, lines = []] = []] = linesOf({ rules });
    const own = [
      ...names.map((name) => `    acl excluded_1_0 req.ssl_sni -i -m str -- ${name}.example.com`),
      '    tcp-request content reject if { src_port lt 1024 } !excluded_1_0',
    ];
    expect([...lines].filter((line) => /excluded|reject if/.test(line))).toEqual([...own, ...own]);
  });

  it('names a rule of which more must hold than fits in a line of HAProxy', () => {
    const ruleOf = (...parts: string[]) => ({
      path: `inbound[${parts.length}]`,
      rule: {
        expressions: parts.map((part) => `conn.tls.sni.contains('${part}')`),
        actions: [{ type: 'restrict-ips', config: { allow: ['192.0.2.0/24'] } }],
      },
    });
    const six = ['a', 'b', 'c', 'd', 'e', 'f'];
    const rules = [ruleOf(...six), ruleOf(...six, 'g')];
    const { files, notExpressed } = haproxyFiles({ ...edge, rules }, settings);
    expect(notExpressed).toEqual(['inbound[7]: a condition that is too long for one line of HAProxy.']);
    const list = '/etc/haproxy/edge/inbound-6-actions-0-ipv4.lst';
    const checks = six.map((part) => `{ req.ssl_sni -i -m sub -- ${part} }`).join(' ');
    expect(
      files
        .at(-1)
        ?.text.split('\n')
        .filter((line) => line.includes('reject if')),
    ).toEqual([
      `    tcp-request content reject if ${checks} !{ src -f ${list} }`,
      `    tcp-request content reject if ${checks}`,
    ]);
  });

  it('begins with the hash of what follows', () => {
    const [main] = haproxyFiles(edge, settings).files;
    expect(main?.text.split('\n')[0]).toMatch(
      /^# Generated by Sallyport: HAProxy, the TLS edge edgtls_1\. Changes are overwritten\. etag "[0-9a-f]{32}"$/,
    );
    expect(haproxyFiles(edge, settings).files).toEqual([main]);
    expect(haproxyFiles({ ...edge, hostports: ['b.example.com:443'] }, settings).files[0]?.text).not.toBe(main?.text);
  });
});
