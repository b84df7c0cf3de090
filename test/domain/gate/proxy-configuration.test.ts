// The completed configurations of proxies. `test/process/gate-proxies.test.ts` runs them with the real programs.

import { describe, expect, test } from 'vitest';
import {
  gateProxies,
  type ProxySettings,
  proxyFiles,
  serviceAt,
  templatePaths,
} from '../../../src/domain/gate/proxy-configuration.ts';
import { read } from '../../support/source-files.ts';

const settings: ProxySettings = {
  edgeId: 'edghts_01m7',
  hostport: 'shop.app.example.com:8443',
  service: '10.0.0.1:4001',
  application: ['shop.internal:9000'],
  paths: [],
  forwardsKeys: false,
  missing: [],
};
const written = (proxy: (typeof gateProxies)[number], changed: Partial<ProxySettings> = {}) =>
  new Map(
    proxyFiles(proxy, { ...settings, ...changed }, (path) => read(`deploy/${path}`)).map(({ name, text }) => [
      name,
      text,
    ]),
  );

describe('proxyFiles', () => {
  test('fills in the file of deploy, and says what remains to be changed', () => {
    expect(written('caddy').get('Caddyfile')).toBe(`\
# Caddy in front of an application, asking Sallyport about each request: docs/gate.md. For Caddy 2.6 and later.
# For shop.app.example.com:8443 of the HTTPS edge edghts_01m7. Change the certificate, if one is named, and the addresses where they are others.

shop.app.example.com:8443 {
	# Keeps the order of what is in it.
	route {
		# No client tells who it is, under any spelling of these names.
		request_header -Remote*
		request_header -Sallyport-Identity
		request_header -Sallyport_Identity
		request_header -Sallyport.Identity
		forward_auth 10.0.0.1:4001 {
			# Without the question mark, Caddy would append the query of the client.
			uri /gate/forward-auth/edghts_01m7?
			copy_headers Remote-User Remote-Groups Remote-Email Remote-Name Sallyport-Identity
			# Without these, Caddy waits for ever for a Sallyport that hangs.
			transport http {
				dial_timeout 2s
				response_header_timeout 5s
			}
			# While it starts or stops, it may answer so.
			@failed status 5xx
			handle_response @failed {
				error 503
			}
		}
		# The application gets neither the cookies of the gate nor an API key.
		request_header Cookie "(^|;)[^=;]*edghtsrt_[0-9a-z]{26}[^=;]*=[^;]*" "$1"
		@program header_regexp Authorization "(?i)^Bearer +sallyport_"
		request_header @program -Authorization
		# Opens WebSockets, and passes on event streams, uploads and downloads as they come.
		vars gate answered
		reverse_proxy shop.internal:9000
	}
	# What becomes of a request that Sallyport does not answer. Errors of the application are passed on as they are.
	handle_errors {
		@undecided not vars {http.vars.gate} answered
		route @undecided {
			header Content-Type "text/html; charset=utf-8"
			header Content-Security-Policy "default-src 'none'"
			header Cache-Control no-store
			header Retry-After 5
			respond \`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Not available</title><h1>Not available</h1>
<p>Access cannot be checked at the moment. Try again in a few seconds.</p></html>
\` 503
		}
	}
}
`);
  });

  test.each(gateProxies)('leaves nothing of the example in that of %s', (proxy) => {
    const files = [...written(proxy, { hostport: 'shop.test:8443' }).values()].join('\n');
    expect(files).not.toMatch(
      /EDGE_ID|app\.example\.com|127\.0\.0\.1:(4000|8080)|port_value: (443,|4000 |8080 )|listen 443|\[::\]:443|bind :::443/,
    );
    for (const place of ['edghts_01m7', 'shop.test', '10.0.0.1']) expect(files).toContain(place);
  });

  test.each<[proxy: (typeof gateProxies)[number], file: string, text: string]>([
    ['nginx', 'example.org.conf', 'server_name *.example.org;'],
    ['nginx', 'example.org.conf', 'X-Original-URL https://$host:443$request_uri;'],
    ['nginx', 'default.conf', 'listen 443 ssl http2 default_server;'],
    ['caddy', 'Caddyfile', '\n*.example.org {'],
    ['haproxy', 'gate.cfg', 'unless { req.hdr(host),host_only -m end -i .example.org }'],
    ['haproxy', 'gate.cfg', 'crt /etc/haproxy/example.org.pem'],
    ['traefik', 'gate.yaml', 'HostRegexp(`^[^.]+[.]example[.]org$`)'],
    ['envoy', 'gate.yaml', 'domains: ["*.example.org"]'],
  ])('writes a wildcard in the words of %s: %s', (proxy, file, text) => {
    expect(written(proxy, { hostport: '*.example.org:443' }).get(file)).toContain(text);
  });

  test('tells Envoy to look up names, and the ports apart', () => {
    const named = written('envoy').get('gate.yaml');
    expect(named).toContain('address: "shop.internal", port_value: 9000');
    expect(named?.match(/type: STRICT_DNS/g)).toHaveLength(2);
    const addresses = written('envoy', { application: ['[2001:db8::1]:80'] }).get('gate.yaml');
    expect(addresses).toContain('address: "2001:db8::1", port_value: 80');
    expect(addresses?.match(/type: STATIC/g)).toHaveLength(2);
  });

  const destinations = {
    application: ['10.0.0.5:80', 'b.internal:80'],
    paths: [
      { matchType: 'path_prefix', match: '/a', servers: ['10.0.0.6:80'] },
      { matchType: 'path_prefix', match: '/a/b', servers: ['10.0.0.7:80', '10.0.0.8:80'] },
      { matchType: 'exact_path', match: '/c', servers: ['10.0.0.9:80'] },
    ],
    missing: ['One is\nmissing.'],
  } satisfies Partial<ProxySettings>;

  test('leads paths to their servers, the most exact first', () => {
    const lines = (proxy: (typeof gateProxies)[number], file: string, pattern: RegExp) =>
      (written(proxy, destinations).get(file) ?? '').split('\n').filter((line) => pattern.test(line));
    expect(
      lines(
        'nginx',
        'shop.app.example.com.conf',
        /^upstream|^ +server [\w.]+:|location [/=].*[abc]|proxy_pass http:..[^g]/,
      ),
    ).toEqual([
      'upstream shop.app.example.com_8443_application {',
      '    server 10.0.0.5:80;',
      '    server b.internal:80;',
      'upstream shop.app.example.com_8443_path2 {',
      '    server 10.0.0.7:80;',
      '    server 10.0.0.8:80;',
      '        proxy_pass http://shop.app.example.com_8443_application;',
      '    location = /c {',
      '        proxy_pass http://10.0.0.9:80;',
      '    location /a/b {',
      '        proxy_pass http://shop.app.example.com_8443_path2;',
      '    location /a {',
      '        proxy_pass http://10.0.0.6:80;',
      '    location = /.gate/ask {',
    ]);
    expect(lines('caddy', 'Caddyfile', /path_regexp|reverse_proxy/)).toEqual([
      '\t\t@path1 path_regexp ^/c$',
      '\t\treverse_proxy @path1 10.0.0.9:80',
      '\t\t@path2 path_regexp ^/a/b',
      '\t\treverse_proxy @path2 10.0.0.7:80 10.0.0.8:80',
      '\t\t@path3 path_regexp ^/a',
      '\t\treverse_proxy @path3 10.0.0.6:80',
      '\t\treverse_proxy 10.0.0.5:80 b.internal:80',
    ]);
    expect(lines('haproxy', 'gate.cfg', /backend |^ {2}server/)).toEqual([
      '  use_backend path1 if { path,url_dec -m str -- /c }',
      '  use_backend path2 if { path,url_dec -m beg -- /a/b }',
      '  use_backend path3 if { path,url_dec -m beg -- /a }',
      '  default_backend application',
      'backend application',
      '  server 1 10.0.0.5:80 check',
      '  server 2 b.internal:80 check',
      'backend path1',
      '  server 1 10.0.0.9:80',
      'backend path2',
      '  server 1 10.0.0.7:80 check',
      '  server 2 10.0.0.8:80 check',
      'backend path3',
      '  server 1 10.0.0.6:80',
    ]);
    expect(lines('traefik', 'gate.yaml', /rule:|priority:|service: |- url/)).toEqual([
      '      rule: Host(`shop.app.example.com`)',
      '      service: app',
      '      rule: Host(`shop.app.example.com`) && Path(`/c`)',
      '      priority: 1000000',
      '      service: path1',
      '      rule: Host(`shop.app.example.com`) && PathPrefix(`/a/b`)',
      '      priority: 999999',
      '      service: path2',
      '      rule: Host(`shop.app.example.com`) && PathPrefix(`/a`)',
      '      priority: 999998',
      '      service: path3',
      '          - url: http://10.0.0.5:80',
      '          - url: http://b.internal:80',
      '          - url: http://10.0.0.9:80',
      '          - url: http://10.0.0.7:80',
      '          - url: http://10.0.0.8:80',
      '          - url: http://10.0.0.6:80',
    ]);
    expect(lines('envoy', 'gate.yaml', /match: \{|route: \{|^ {4}- name: path|- endpoint: .*10\.0\.0\.[5-9]/)).toEqual([
      '                        - match: { path: "/c" }',
      '                          route: { cluster: path1, timeout: 0s }',
      '                        - match: { prefix: "/a/b" }',
      '                          route: { cluster: path2, timeout: 0s }',
      '                        - match: { prefix: "/a" }',
      '                          route: { cluster: path3, timeout: 0s }',
      '                        - match: { prefix: / }',
      '                          route: { cluster: app, timeout: 0s }',
      ...[
        ['', '10.0.0.5'],
        ['    - name: path1', '10.0.0.9'],
        ['    - name: path2', '10.0.0.7', '10.0.0.8'],
        ['    - name: path3', '10.0.0.6'],
      ].flatMap(([name = '', ...hosts]) => [
        ...(name === '' ? [] : [name]),
        ...hosts.map(
          (host) => `              - endpoint: { address: { socket_address: { address: "${host}", port_value: 80 } } }`,
        ),
      ]),
    ]);
  });

  test('says which servers are not known, each on a line', () => {
    expect(written('caddy', destinations).get('Caddyfile')).toContain(
      'addresses where they are others.\n# One is\\nmissing.\n',
    );
  });

  test('fails where a template has another text than is filled in', () => {
    expect(() => proxyFiles('caddy', settings, () => '')).toThrow('deploy/caddy/Caddyfile has no "EDGE_ID".');
  });

  test('is made of files of deploy', () => {
    expect(gateProxies.map(templatePaths)).toEqual([
      ['nginx/gate.conf', 'nginx/default.conf', 'nginx/app.example.com.conf'],
      ['caddy/Caddyfile'],
      ['haproxy/gate.cfg', 'haproxy/gate.lua'],
      ['traefik/gate.yaml'],
      ['envoy/gate.yaml'],
    ]);
    const container = read('deploy/Dockerfile');
    for (const proxy of gateProxies) expect(container).toContain(`COPY deploy/${proxy} deploy/${proxy}`);
  });
});

test.each([
  ['http://10.0.0.5:4000', '10.0.0.5:4000'],
  ['http://sallyport.lan', 'sallyport.lan:80'],
  ['http://[2001:db8::1]:4000', '[2001:db8::1]:4000'],
  ['https://login.example.com', '127.0.0.1:4000'],
  ['', '127.0.0.1:4000'],
])('a proxy reaches a service at %s at %s', (baseUrl, place) => {
  expect(serviceAt(baseUrl)).toBe(place);
});
