// References to other objects, which may have been deleted.

import { builder } from './builder.ts';
import { uriOf } from './context.ts';

export const Ref = builder.objectRef<{ id: string }>('Ref').implement({
  description: 'A reference to another object, which may have been deleted since.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the object.' }),
    uri: t.string({
      description: 'URL of the object in the REST API.',
      resolve: ({ id }, _args, context) => uriOf(context, id),
    }),
  }),
});
