// References: how an object names another one that may be gone.

import { builder } from './builder.ts';
import { uriOf } from './context.ts';

/** Another object, by its id alone. */
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
