// The GraphQL schema of the area, in the order in which it is listed.

import './restriction-schema.ts';
import './impact-schema.ts';
