// The GraphQL schema of the area, in the order in which it is listed.

import './changes-schema.ts';
import './restore-schema.ts';
import './event-schema.ts';
import './checkpoint-schema.ts';
