// An identity provider and the request that it answers, for the tests of responses; the clock is fixed.

import type { ExpectedLogin } from '../../../src/domain/saml/assertion.ts';
import { LoginRefusal } from '../../../src/domain/saml/refusal.ts';
import { checkResponse as checkAgainst } from '../../../src/domain/saml/response.ts';
import { serviceProviderUrls } from '../../../src/domain/saml/service-provider.ts';
import { clockSkewSeconds } from '../../../src/domain/saml/times.ts';
import {
  decryptionWith,
  encode,
  honest,
  idpMetadata,
  makeIdpKey,
  persistent,
  readProvider,
} from '../../support/identity-provider.ts';

export const now = new Date('2026-06-01T12:00:00Z');
export const clockSkewMs = clockSkewSeconds.default * 1000;
export const key = makeIdpKey();
export const strangersKey = makeIdpKey();
export const urls = serviceProviderUrls('https://sallyport.example', 'edghtsrt_1');

export const expected: ExpectedLogin = {
  provider: readProvider(idpMetadata([key])),
  urls,
  nameidFormat: persistent,
  forceAuthn: false,
  allowIdpInitiated: false,
  request: { id: '_request', sentAt: new Date('2026-06-01T11:59:00Z') },
  decryption: decryptionWith(),
};

export const addressed = { entityId: urls.entityId, acs: urls.assertionConsumerService, inResponseTo: '_request', now };
export const spoken = honest(addressed);

/** Checks a response while one of our requests is pending, or none. */
export const checkResponse = async (encoded: string, { request, ...against }: ExpectedLogin, at: Date) => {
  const findRequest = (id: string) => (id === request?.id ? request : null);
  const { request: _answered, ...login } = checkAgainst(
    encoded,
    { ...against, findRequest },
    { now: at, skewMs: clockSkewMs },
  );
  return login;
};
export const check = (xml: string, against: ExpectedLogin = expected, at = now) =>
  checkResponse(encode(xml), against, at);

/** Returns the reason of a refusal and what is logged. */
export const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof LoginRefusal) return [error.reason, error.message];
      throw error;
    },
  );
