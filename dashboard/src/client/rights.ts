// Who is signed in, and what the key may do.

import { createContext, useContext } from 'react';
import type { ViewerQuery } from './viewer.generated.ts';

/** Who is signed in. */
export type Viewer = NonNullable<ViewerQuery['viewer']>;

/**
 * Tells whether scopes contain another: `write` includes `read`, and a scope without an area is for all areas.
 *
 * @param scope such as `ip-policies:write`
 */
export function allows(scopes: readonly string[], scope: string): boolean {
  const [area = '', access = ''] = scope.split(':');
  const enough = access === 'read' ? ['read', 'write'] : [access];
  return enough.some((each) => scopes.includes(each) || scopes.includes(`${area}:${each}`)) || scopes.includes(scope);
}

const ViewerContext = createContext<Viewer | null>(null);
export const ViewerProvider = ViewerContext.Provider;

/** Gives who is signed in. Throws Error outside of a session. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error('There is no session.');
  return viewer;
}

/** Tells whether the key that signed in has a scope, such as `ip-policies:write`. */
export function useCan(scope: string): boolean {
  const { apiKey } = useViewer();
  return allows(apiKey.scopes, scope);
}
