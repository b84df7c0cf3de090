// What `domain/saml/service-provider.ts` promises: the URLs, and the metadata as SAML defines it.

import { expect, it } from 'vitest';
import { serviceProviderUrls, writeServiceProviderMetadata } from '../../../src/domain/saml/service-provider.ts';

const provider = {
  certificatePem: '-----BEGIN CERTIFICATE-----\nMIID\n1zCC\n-----END CERTIFICATE-----\n',
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
<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://a.example.com/saml/edghtsrt_1/slo"/>
<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://a.example.com/saml/edghtsrt_1/slo"/>
<NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat>
<AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://a.example.com/saml/edghtsrt_1/acs" index="0" isDefault="true"/>
</SPSSODescriptor>
</EntityDescriptor>`,
  );
});

it('escapes whatever would end an attribute', () => {
  const xml = writeServiceProviderMetadata(serviceProviderUrls('https://a"<&', 'b'), provider);
  expect(xml).toContain('entityID="https://a&quot;&lt;&amp;/saml/b"');
});
