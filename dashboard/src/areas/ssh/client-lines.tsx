// Commands and files for hosts and clients, to copy.

import { commands } from '../../client/commands.ts';
import { quoted } from '../../kit/call.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { useAccountFiles } from './names.ts';

/**
 * Returns shell commands that download a script of the service, check it against the checksum of this version, and run it.
 *
 * @param service the address of the service
 * @param side whose script it is
 * @param sum SHA-256 of the script, in hexadecimal
 * @param runs arguments of each run of the script; all commands are joined by `&&`
 */
export function scriptLines(service: string, side: 'host' | 'client', sum: string, runs: readonly string[]): string {
  const name = `sallyport-ssh-${side}`;
  return [
    'cd /usr/local/sbin',
    `curl -fsS ${quoted(`${service}/ssh/${side}.sh`)} -o ${name}.new`,
    `echo '${sum}  ${name}.new' | sha256sum -c -`,
    `chmod 755 ${name}.new`,
    `mv ${name}.new ${name}`,
    ...runs.map((run) => `./${name} ${run}`),
  ].join(' &&\n  ');
}

/** Returns whether hosts and clients refuse an address: they accept plain HTTP only from their own machine. */
const isRefused = (service: string): boolean =>
  service.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(service);

/** Says that hosts and clients will refuse the address of the service. */
export function PlainHttp({ service }: { service: string }) {
  if (!isRefused(service)) return null;
  return (
    <Notice tone="caution" title="Hosts and clients refuse plain HTTP.">
      What they fetch is not signed: HTTPS vouches for it. Put a proxy with a certificate in front of Sallyport, and set{' '}
      <code>{commands.setBaseUrl}</code>.
    </Notice>
  );
}

/** What makes a client trust all authorities of the account and learn of revocations. */
export function AccountFiles() {
  const files = useAccountFiles();
  if (files === undefined) return null;
  const { service, account, knownHostsUrl, revocationListUrl } = files;
  return (
    <Panel
      title="For clients"
      description="One file with the lines of all authorities that have not retired, one with all that is revoked. Neither needs a key."
    >
      <div className="stack">
        <PlainHttp service={service} />
        <CopyField
          label="Set up a client, as root: it fetches both files every five minutes, and checks them first"
          text={scriptLines(service, 'client', clientScriptSha256, [
            `setup --url ${quoted(service)} --account ${account} --hosts '*'`,
            'install',
          ])}
        />
        <CopyField label="known_hosts file" text={knownHostsUrl} />
        <CopyField label="Revocation list (KRL)" text={revocationListUrl} />
        <CopyField
          label="Without the script: line for ssh_config, only once the list is in that file, as ssh refuses every host without it"
          text="RevokedHostKeys /etc/ssh/revoked_hosts"
        />
      </div>
    </Panel>
  );
}
