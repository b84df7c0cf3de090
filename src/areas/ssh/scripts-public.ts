// Serves the scripts that hosts and clients run, so that a machine needs nothing but access to the service.

import type { PublicFile } from '../../surfaces/public-files.ts';
import { readSshScript } from './scripts-public-store.ts';

const note = 'No API key is needed. Its SHA-256 is in the documentation of this version.';

export const sshScripts: readonly PublicFile[] = [
  {
    path: '/ssh/host.sh',
    operationId: 'GetSshHostScript',
    summary: 'The script that enrolls a host and renews its certificates',
    description: `A POSIX shell script for hosts, \`sallyport-ssh-host\`. ${note}`,
    ...script('sallyport-ssh-host'),
  },
  {
    path: '/ssh/client.sh',
    operationId: 'GetSshClientScript',
    summary: 'The script that keeps authorities and revocations fresh on a client',
    description: `A POSIX shell script for clients, \`sallyport-ssh-client\`. ${note}`,
    ...script('sallyport-ssh-client'),
  },
];

function script(
  name: Parameters<typeof readSshScript>[0],
): Pick<PublicFile, 'mediaType' | 'parameters' | 'createReader'> {
  return {
    // Browsers display this type, so that people can read the script before they run it.
    mediaType: 'text/plain; charset=utf-8',
    parameters: {},
    createReader: () => () => readSshScript(name),
  };
}
