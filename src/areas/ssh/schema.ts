// The GraphQL schema of the SSH area, in the order in which it is listed.

import './authority-schema.ts';
import './certificate-schema.ts';
import './challenge-schema.ts';
import './enrollment-schema.ts';
import './enrollment-token-schema.ts';
import './renewal-schema.ts';
import './succession-schema.ts';
import './counts-schema.ts';
import './key-check-schema.ts';
import './revocation-schema.ts';
