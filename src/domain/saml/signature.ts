// What of a response is signed: the one question that is left to a library. Pure.

import { SAML } from '@node-saml/node-saml';
import { LoginRefusal } from './refusal.ts';

/** Gives the signed assertion as it is, where the library would check its content by a clock of its own. */
class SignatureCheck extends SAML {
  // The library's own declaration has no other type for it.
  protected override async processValidlySignedAssertionAsync(assertionXml: string) {
    return { profile: { issuer: '', nameID: '', nameIDFormat: '', assertionXml }, loggedOut: false };
  }
}

/**
 * Gives the assertion of a response, made of nothing but the bytes that were signed.
 *
 * @param responseIsSigned whether the response itself has a signature, which must be right too
 * @param certificates those of the keys to try, in PEM
 * @throws LoginRefusal with the reason `signature`
 */
export async function readSignedAssertion(
  responseXml: string,
  responseIsSigned: boolean,
  certificates: readonly string[],
): Promise<string> {
  if (certificates.length === 0) throw new LoginRefusal('signature', 'The metadata has no signing certificate.');
  const check = new SignatureCheck({
    idpCert: [...certificates],
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: responseIsSigned,
    // Required by the library, and used for nothing here.
    issuer: 'unused',
    callbackUrl: 'https://unused.invalid',
  });
  const SAMLResponse = Buffer.from(responseXml).toString('base64');
  const { profile } = await check.validatePostResponseAsync({ SAMLResponse }).catch((error: unknown) => {
    throw new LoginRefusal('signature', error instanceof Error ? error.message : 'The signature cannot be verified.');
  });
  const assertionXml = profile?.assertionXml;
  if (typeof assertionXml !== 'string') throw new LoginRefusal('signature', 'No assertion is signed.');
  return assertionXml;
}
