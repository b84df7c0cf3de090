// What `domain/saml/service-provider.ts` promises: the URLs, and the metadata as SAML defines it.

import { expect, it } from 'vitest';
import { serviceProviderUrls, writeServiceProviderMetadata } from '../../../src/domain/saml/service-provider.ts';

const provider = {
  certificatePem: '-----BEGIN CERTIFICATE-----\nMIID\n1zCC\n-----END CERTIFICATE-----\n',
  otherCertificatePem: null,
  encryptionCertificatePem: '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n',
  nameidFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
};

it('puts all URLs below the one of the metadata', () => {
  expect(serviceProviderUrls('https://a.example.com', 'edghtsrt_1')).toEqual({
    entityId: 'https://a.example.com/saml/edghtsrt_1',
    assertionConsumerService: 'https://a.example.com/saml/edghtsrt_1/acs',
    singleLogout: 'https://a.example.com/saml/edghtsrt_1/slo',
  });
});

it('writes elements in the order of the schema of SAML', () => {
  const xml = writeServiceProviderMetadata(serviceProviderUrls('https://a.example.com', 'edghtsrt_1'), provider);
  expect(xml.replaceAll('><', '>\n<')).toBe(
    `<EntityDescriptor entityID="https://a.example.com/saml/edghtsrt_1" xmlns="urn:oasis:names:tc:SAML:2.0:metadata">
<SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" AuthnRequestsSigned="true" WantAssertionsSigned="true">
<KeyDescriptor use="signing">
<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
<ds:X509Data>
<ds:X509Certificate>MIID1zCC</ds:X509Certificate>
</ds:X509Data>
</ds:KeyInfo>
</KeyDescriptor>
<KeyDescriptor use="encryption">
<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
<ds:X509Data>
<ds:X509Certificate>MIIE</ds:X509Certificate>
</ds:X509Data>
</ds:KeyInfo>
<EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes128-gcm"/>
<EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>
<EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes192-gcm"/>
<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/>
<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>
<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p">
<ds:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>
</EncryptionMethod>
<EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#rsa-oaep">
<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>
<xenc11:MGF Algorithm="http://www.w3.org/2009/xmlenc11#mgf1sha256" xmlns:xenc11="http://www.w3.org/2009/xmlenc11#"/>
</EncryptionMethod>
<EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#rsa-oaep">
<ds:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>
<xenc11:MGF Algorithm="http://www.w3.org/2009/xmlenc11#mgf1sha1" xmlns:xenc11="http://www.w3.org/2009/xmlenc11#"/>
</EncryptionMethod>
</KeyDescriptor>
<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://a.example.com/saml/edghtsrt_1/slo"/>
<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://a.example.com/saml/edghtsrt_1/slo"/>
<NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat>
<AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://a.example.com/saml/edghtsrt_1/acs" index="0" isDefault="true"/>
</SPSSODescriptor>
</EntityDescriptor>`,
  );
});

it('offers no key for encryption where there is none', () => {
  const urls = serviceProviderUrls('https://a.example.com', 'edghtsrt_1');
  const xml = writeServiceProviderMetadata(urls, { ...provider, encryptionCertificatePem: null });
  expect(xml).not.toMatch(/ncryption/);
});

it('escapes whatever would end an attribute', () => {
  const xml = writeServiceProviderMetadata(serviceProviderUrls('https://a"<&', 'b'), provider);
  expect(xml).toContain('entityID="https://a&quot;&lt;&amp;/saml/b"');
});
