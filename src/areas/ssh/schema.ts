// The GraphQL schema of the SSH area, in the order in which it is listed.

import './authorities/authority-schema.ts';
import './agents/agent-schema.ts';
import './certificates/certificate-schema.ts';
import './renewal/challenge-schema.ts';
import './enrollment/enrollment-schema.ts';
import './enrollment/enrollment-token-schema.ts';
import './renewal/renewal-schema.ts';
import './authorities/succession-schema.ts';
import './certificates/counts-schema.ts';
import './keys/key-check-schema.ts';
import './revocation/revocation-schema.ts';
