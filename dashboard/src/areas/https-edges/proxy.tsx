// The configuration of the reverse proxy in front of an edge, to copy.

import { type ReactNode, useState } from 'react';
import { commands } from '../../client/commands.ts';
import { useData } from '../../client/data.ts';
import { problemOf } from '../../client/problem.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Call } from '../../kit/call.tsx';
import { CopyBlock } from '../../kit/copy.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { Empty, Loading, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { useSettled } from '../../kit/settled.ts';
import { Tabs } from '../../kit/tabs.tsx';
import styles from './https-edges.module.css';
import { type GateProxy, ProxyConfigurationDocument, type ProxyConfigurationQuery } from './proxy.generated.ts';

/** The supported proxies, and how to use the files for each (docs/gate.md, "Set up a proxy"). */
const proxies: readonly { readonly id: GateProxy; readonly title: string; readonly how: string }[] = [
  {
    id: 'nginx',
    title: 'nginx',
    how: 'For nginx 1.22 or later: gate.conf and default.conf once, and the other file for each host, all in conf.d.',
  },
  { id: 'caddy', title: 'Caddy', how: 'For Caddy 2.6 or later: a block for each host.' },
  {
    id: 'haproxy',
    title: 'HAProxy',
    how: 'For HAProxy 2.6 or later: the configuration, and the script that it loads.',
  },
  {
    id: 'traefik',
    title: 'Traefik',
    how: 'For Traefik 3. Try it before you rely on it: it is not tested with the program.',
  },
  {
    id: 'envoy',
    title: 'Envoy',
    how: 'For Envoy 1.25 or later. Try it before you rely on it: it is not tested with the program.',
  },
];

/** The parts of the configuration that the user can choose. */
interface Endpoints {
  readonly hostport: string | null;
  readonly service: string | null;
  readonly application: string | null;
}

/** Milliseconds between the last keystroke and the new configuration. */
const restMs = 300;

type File = NonNullable<NonNullable<ProxyConfigurationQuery['httpsEdge']>['proxyConfiguration']>[number];

function Files({ how, files, children }: { how: string; files: readonly File[] | undefined; children: ReactNode }) {
  return (
    <div className="stack">
      <p className="muted">{how}</p>
      {files?.map(({ name, text }) => (
        <div key={name} className={styles.file}>
          <h3 className="mono">{name}</h3>
          <CopyBlock label={name} text={text} long />
        </div>
      ))}
      {children}
    </div>
  );
}

/** The configuration for a proxy, with the fields that it depends on. */
export function ProxyConfiguration({
  edge: { id, hostports },
}: {
  edge: { readonly id: string; readonly hostports: readonly string[] };
}) {
  const [chosen] = useAddressParameter('proxy');
  const [host, setHost] = useAddressParameter('host');
  const [form, setForm] = useState({ service: '', application: '' });
  const settled = useSettled(form, restMs);
  const endpoints: Endpoints = {
    hostport: hostports.includes(host) ? host : null,
    service: settled.service.trim() || null,
    application: settled.application.trim() || null,
  };
  const variables = { id, proxy: proxies.find((each) => each.id === chosen)?.id ?? 'nginx', ...endpoints };
  const reading = useData(
    ProxyConfigurationDocument,
    variables,
    ['HttpsEdge', 'HttpsEdgeRoute', 'TunnelGroupBackend'],
    hostports.length === 0,
  );
  const problem = reading.error ? problemOf(reading.error) : null;
  const isSaid = problem?.field === 'service' || problem?.field === 'application';
  const files = reading.data?.httpsEdge?.proxyConfiguration ?? undefined;
  const [first] = hostports;
  if (first === undefined) {
    return (
      <Panel title="Proxy" bare>
        <Empty title="No hosts yet">
          A configuration is for a host. Name the hosts of this edge in its settings, and it is made here.
        </Empty>
      </Panel>
    );
  }
  return (
    <div className="stack">
      <Panel
        title="Your reverse proxy"
        description="It asks the gate about each request, and passes on to the application only what may go there."
      >
        <div className="stack">
          <div className={styles.endpoints}>
            <SelectField
              label="Host"
              value={endpoints.hostport ?? first}
              onChange={(chosen) => setHost(chosen === first ? '' : chosen)}
              options={hostports.map((value) => ({ value, title: value }))}
              hint="Each host has a configuration of its own."
            />
            <TextField
              label="The application listens at"
              mono
              value={form.application}
              onChange={(application) => setForm({ ...form, application })}
              placeholder="127.0.0.1:8080"
              hint="Where the proxy reaches it, and nobody else. Empty: where the backends of the routes lead."
              error={errorOf(problem, 'application')}
            />
            <TextField
              label="Sallyport listens at"
              mono
              value={form.service}
              onChange={(service) => setForm({ ...form, service })}
              placeholder="127.0.0.1:4000"
              hint="Where the proxy reaches it. Empty: on the same machine."
              error={errorOf(problem, 'service')}
            />
          </div>
          <Notice>
            Only proxies in <code>{commands.addGateProxy}</code> see the gate. One on another machine than Sallyport
            must be added there by whoever runs the server.
          </Notice>
          <Call document={ProxyConfigurationDocument} variables={variables} />
        </div>
      </Panel>
      <Tabs
        label="Proxy"
        name="proxy"
        parts={proxies.map((proxy) => ({
          id: proxy.id,
          title: proxy.title,
          children: (
            <Files how={proxy.how} files={files}>
              {files === undefined && problem === null && <Loading />}
              {!isSaid && <ProblemNotice problem={problem} />}
            </Files>
          ),
        }))}
      />
    </div>
  );
}
