// People, their roles, and the providers at which they sign in, in GraphQL.

import './role-schema.ts';
import './provider-schema.ts';
import './person-schema.ts';
