// The certified OpenID provider `oidc-provider`, as a process of its own.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { untilListening } from '../process/gate-support.ts';
import { run, temporaryDirectory } from '../process/support.ts';
import { freePort } from '../support/free-port.ts';
import { makeIdpKey } from '../support/identity-provider.ts';

export const clientId = 'sallyport';
export const clientSecret = 'a secret of the client';

/** What the client of the provider is registered with. */
export interface Registration {
  readonly redirectUrl: string;
  readonly backchannelLogoutUrl: string;
}

/**
 * Starts the provider with one client.
 *
 * @param host the name of the provider, which leads to this machine; its certificate is its own
 * @param ours the origin of the client's addresses, and where that is really
 */
export async function startOidcProvider(host: string, ours: Readonly<Record<string, string>>) {
  const settings = join(temporaryDirectory(), 'settings.json');
  const { privateKey, certificatePem } = makeIdpKey();
  const port = await freePort();
  const issuer = `https://${host}:${port}`;
  return {
    issuer,
    port,
    /** Registers the client and starts. Returns what makes it sign with another key. */
    async start({ redirectUrl, backchannelLogoutUrl }: Registration): Promise<() => Promise<void>> {
      const client = {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUrl],
        backchannel_logout_uri: backchannelLogoutUrl,
        backchannel_logout_session_required: true,
      };
      const tls = { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), certificate: certificatePem };
      writeFileSync(settings, JSON.stringify({ issuer, port, ...tls, client, redirect: ours }));
      const { child, printed } = run(process.execPath, [join(import.meta.dirname, 'openid-provider.js'), settings]);
      await untilListening(port);
      return async () => {
        const rolled = () => printed.out.split('rolled').length;
        const before = rolled();
        child.kill('SIGHUP');
        await expect.poll(rolled).toBeGreaterThan(before);
      };
    },
  };
}
