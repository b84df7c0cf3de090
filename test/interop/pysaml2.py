"""pysaml2 as an identity provider, for tests: it logs everybody in as amy. It signs with xmlsec1, and verifies every request.

Usage: pysaml2.py DIRECTORY ORIGIN PORT. The directory has idp.key and idp.crt, and, once there is one, sp.xml: the metadata of the
service provider, which is read for every request.
"""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from os.path import exists, join
from urllib.parse import parse_qsl, urlsplit

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT
from saml2.server import Server
from saml2.sigver import verify_redirect_signature
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

directory, origin, port = sys.argv[1:]
identity = {"groups": ["staff", "admins"], "mail": "amy@example.com", "displayName": "Amy Ä"}
authentication = {"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": origin}


def configuration():
    service_provider = join(directory, "sp.xml")
    return IdPConfig().load({
        "entityid": f"{origin}/metadata",
        "key_file": join(directory, "idp.key"),
        "cert_file": join(directory, "idp.crt"),
        "xmlsec_binary": "/usr/bin/xmlsec1",
        "metadata": {"local": [service_provider]} if exists(service_provider) else {},
        "service": {"idp": {
            "endpoints": {"single_sign_on_service": [(f"{origin}/sso", BINDING_HTTP_REDIRECT)]},
            "name_id_format": [NAMEID_FORMAT_PERSISTENT],
        }},
    })


def sign_on(query):
    """Gives the page that takes the response to the service provider."""
    idp = Server(config=configuration())
    request = idp.parse_authn_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT)
    issuer = request.message.issuer.text
    certificates = idp.metadata.certs(issuer, "spsso", "signing")
    # From 7.1 on, each has a name before it.
    certificates = [one[-1] if isinstance(one, tuple) else one for one in certificates]
    if not any(verify_redirect_signature(query, idp.sec.sec_backend, certificate) for certificate in certificates):
        raise ValueError("the signature of the request is wrong")
    # The place for the response comes from the metadata, and the request must name the same one.
    arguments = idp.response_args(request.message, [BINDING_HTTP_POST])
    if arguments["destination"] != request.message.assertion_consumer_service_url:
        raise ValueError("the request names another place than the metadata")
    binding = arguments.pop("binding")
    response = idp.create_authn_response(
        identity, userid="amy", authn=authentication, sign_assertion=True, sign_response=True,
        sign_alg=SIG_RSA_SHA256, digest_alg=DIGEST_SHA256, **arguments)
    page = idp.apply_binding(binding, str(response), arguments["destination"], query.get("RelayState", ""), response=True)
    return page["data"]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        try:
            body = str(entity_descriptor(configuration())) if url.path == "/metadata" else sign_on(dict(parse_qsl(url.query)))
            status = 200
        except Exception as error:
            status, body = 400, f"{type(error).__name__}: {error}"
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
