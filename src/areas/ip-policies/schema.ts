// The GraphQL schema of the area, in the order in which it is listed.

import './policy-schema.ts';
import './many-rules-schema.ts';
import './change-schema.ts';
import './evaluation-schema.ts';
import './source-schema.ts';
