// People sign in to the dashboard by SAML: the request that a browser takes to the identity provider, and the response that it brings.

import type { Request } from 'express';
import { checkEmailDomain } from '../../domain/access/email-domains.ts';
import type { Unsealed, Vouched } from '../../domain/gate/login.ts';
import { requestIdOf, sealedIn } from '../../domain/gate/login-state.ts';
import { writeAuthnRequest } from '../../domain/saml/authn-request.ts';
import type { SamlClient } from '../../domain/saml/client.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import { checkMetadata, checkResponse } from '../../domain/saml/response.ts';
import type { AnsweredUrls } from '../../domain/saml/service-provider.ts';
import type { Clock } from '../../domain/saml/times.ts';
import { type Outgoing, sendMessage } from '../../domain/saml/written-messages.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { clientNetwork } from '../../pipeline/client-address.ts';
import { clientGone, type Reply } from '../../pipeline/request.ts';
import { send } from '../../wire/send.ts';
import { receiveMessageForm } from '../kit/message-form.ts';
import { checks, decryptionOf, signatures } from '../kit/saml-turns.ts';
import { formHeaders, writeFormPage } from '../kit/visitor-page.ts';
import { nobodyHere, otherProtocol } from './sign-in-outcome.ts';

/** A provider by SAML at which somebody signs in. */
interface FoundSamlProvider {
  readonly accountId: string;
  readonly saml: SamlClient;
}

/** What the steps need of the sign-ins in progress, of one provider. */
export interface SamlState {
  seal(text: string): string;
  open(text: string): Unsealed | null;
  /** Records that something is used. Returns false if it had been used before. */
  use(idHash: string, usableUntil: Date): Promise<boolean>;
}

/** The provider whose response a browser has brought. It is found when the response is checked: that takes time, and anybody can send one. */
interface AnsweredProvider<P> {
  readonly accountId: string;
  /** Finds it; null if there is none any more. */
  readonly find: () => Promise<P | null>;
  /** Reads its metadata again, if that has not been done just now; null if it is as it was. */
  readonly findAnew: (provider: P) => Promise<P | null>;
  readonly stateOf: (provider: P) => SamlState;
}

/** Dependencies of the steps. */
export interface SamlSignInOptions {
  readonly clock: () => Clock;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Number of proxies in front of the server. */
  readonly proxies: number;
}

/** Longest page to go to that is sent along, in bytes (SAML bindings 3.4.3). A longer one is forgotten. */
const relayStateBytesMax = 80;
/** Says in our own form that the browser has brought it here from here. */
const again = 'again';

/**
 * Sends the browser to the identity provider.
 *
 * @param browser the name of the browser, to which the answer is bound
 * @param target the page to go to afterwards
 * @throws LoginRefusal, and UNAVAILABLE if too many of its network wait for a signature
 */
export async function leaveBySaml(
  { clock, proxies }: SamlSignInOptions,
  { accountId, saml }: FoundSamlProvider,
  { entityId: issuer, assertionConsumerService }: AnsweredUrls,
  state: SamlState,
  browser: string,
  target: string,
  reply: Reply,
): Promise<void> {
  const { provider, nameidFormat, openSigningKey } = saml;
  const sentAt = clock().now;
  checkMetadata(provider, sentAt);
  const { sso } = provider;
  if (sso === null) throw new LoginRefusal('no_request', 'The metadata has no location for requests to log in.');
  // All that is known about the sign-in is in the id, which the response must repeat.
  const id = requestIdOf(state.seal(hashOf(browser)));
  const head = { id, sentAt, destination: sso.location, issuer };
  const message = writeAuthnRequest({ ...head, assertionConsumerService, nameidFormat, forceAuthn: false });
  const relayState = target !== '' && Buffer.byteLength(target) <= relayStateBytesMax ? target : null;
  const sign = () => sendMessage(message, sso, relayState, openSigningKey());
  const sender = clientNetwork(reply.req, proxies);
  const outgoing = await signatures.run(accountId, sign, clientGone(reply), { sender });
  if (outgoing.binding === 'post') return sendForm(reply, outgoing);
  reply.setHeader('Location', outgoing.location);
  send(reply, 303, 'text/plain; charset=utf-8', '');
}

/**
 * Takes the response of the identity provider. It counts once, for the browser that began. If its signature is wrong, the identity
 * provider may have a new key: its metadata is read again first, and the response is checked anew.
 *
 * @param browsers the names that the browser brings
 * @returns whom the provider vouches for, with the provider, and the page to go to as the browser brings it; null if the browser was
 *   asked to send it again
 * @throws LoginRefusal, NOT_FOUND, and UNAVAILABLE if too many of its network wait to be checked
 */
export async function returnBySaml<P extends { readonly saml: SamlClient | null }>(
  { clock, randomBytes, proxies }: SamlSignInOptions,
  { accountId, find, findAnew, stateOf }: AnsweredProvider<P>,
  urls: AnsweredUrls,
  browsers: readonly string[],
  request: Request,
  reply: Reply,
): Promise<{ readonly provider: P; readonly vouched: Vouched; readonly target: string } | null> {
  const sender = clientNetwork(request, proxies);
  // Receiving forgeries would take more time than refusing them.
  checks.login.refuseIfFull(accountId, sender);
  const parse = await receiveMessageForm(request, reply);
  const readOwn = (client: SamlClient, state: SamlState) => {
    const form = parse();
    const [[response, ...others], relayStates] = [form.getAll('SAMLResponse'), form.getAll('RelayState')];
    if (response === undefined || others.length > 0 || relayStates.length > 1) {
      throw new LoginRefusal('malformed', 'The form must have one SAMLResponse, and at most one RelayState.');
    }
    const target = relayStates[0] ?? '';
    // Browsers leave the cookie out of what another site has them post, and send it along with what our own page does.
    if (browsers.length === 0 && !form.has(again)) return { fields: { SAMLResponse: response, RelayState: target } };
    const findRequest = (id: string) => {
      const opened = state.open(sealedIn(id));
      if (opened === null) return null;
      if (!browsers.some((browser) => hashOf(browser) === opened.text)) {
        // Somebody else could be behind it, who wants this browser to be signed in under another name.
        throw new LoginRefusal('state', 'The sign-in began in another browser.');
      }
      return { id, sentAt: opened.sealedAt, usableUntil: opened.usableUntil };
    };
    const { provider, nameidFormat, attributes, openDecryptionKeys } = client;
    const decryption = decryptionOf(openDecryptionKeys, randomBytes);
    // Nobody signs in here who did not begin here: it would be no proof that the person wanted to.
    const terms = { provider, nameidFormat, attributes, forceAuthn: false, allowIdpInitiated: false };
    return { target, login: checkResponse(response, { ...terms, urls, decryption, findRequest }, clock()) };
  };
  let found: P | null = null;
  const inTurn = (findIt: () => Promise<P | null>) => {
    const check = async () => {
      const provider = await findIt();
      if (provider === null) throw nobodyHere();
      const { saml } = provider;
      if (saml === null) throw otherProtocol();
      found = provider;
      const state = stateOf(provider);
      return { provider, saml, state, read: readOwn(saml, state) };
    };
    return checks.login.run(accountId, check, clientGone(reply), { sender });
  };
  const { provider, saml, state, read } = await inTurn(find).catch(async (error: unknown) => {
    const isOfKey = error instanceof LoginRefusal && error.reason === 'signature';
    const anew = isOfKey && found !== null ? await findAnew(found) : null;
    if (anew === null) throw error;
    return inTurn(async () => anew);
  });
  if ('fields' in read) {
    sendForm(reply, {
      binding: 'post',
      location: urls.assertionConsumerService,
      fields: { ...read.fields, [again]: 'yes' },
    });
    return null;
  }
  const { login, target } = read;
  const { assertionId, usableUntil, request: answered, nameId, nameidFormat, email, name, groups } = login;
  if (answered === null) throw new LoginRefusal('unsolicited', 'The response answers no request.');
  if (saml.authorizedEmailDomains.length > 0) checkEmailDomain(email ?? '', saml.authorizedEmailDomains);
  const isFirst =
    (await state.use(hashOf(`assertion ${assertionId}`), usableUntil)) &&
    (await state.use(hashOf(`request ${answered.id}`), answered.usableUntil));
  if (!isFirst) throw new LoginRefusal('replayed', 'The assertion has been used before, or the request answered.');
  const { nameQualifier, spNameQualifier, sessionIndex, sessionEndsAt, attributeNames, subject } = login;
  const named = { nameId, nameidFormat, nameQualifier, spNameQualifier, sessionIndex };
  const { entityId: issuer } = saml.provider;
  const vouched = { user: subject, email, name, groups, attributeNames, issuer, sessionEndsAt, named };
  return { provider, vouched, target };
}

function sendForm(reply: Reply, form: Extract<Outgoing, { binding: 'post' }>): void {
  for (const [name, value] of Object.entries(formHeaders)) reply.setHeader(name, value);
  send(reply, 200, 'text/html; charset=utf-8', writeFormPage(form));
}
