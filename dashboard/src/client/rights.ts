// Who is signed in, and what they may do.

import { createContext, useContext } from 'react';
import type { ViewerQuery } from './viewer.generated.ts';

/** The signed-in account, with the API key or the person that signed in. */
export type Viewer = NonNullable<ViewerQuery['viewer']>;

/**
 * Returns whether scopes include another: `write` includes everything else in its area, and a scope without an area covers all.
 *
 * @param scope such as `ip-policies:write`, or a narrow one: `ssh:enroll`, `gate` or `gate:pass`
 */
export function allows(scopes: readonly string[], scope: string): boolean {
  if (scopes.includes(scope)) return true;
  const [area, access] = scope.startsWith('gate') ? ['https-edges', scope] : scope.split(':');
  const enough = access === 'read' ? ['read', 'write'] : ['write'];
  return enough.some((each) => scopes.includes(each) || scopes.includes(`${area}:${each}`));
}

const ViewerContext = createContext<Viewer | null>(null);
export const ViewerProvider = ViewerContext.Provider;

/** Returns who is signed in. Throws Error outside of a session. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error('There is no session.');
  return viewer;
}

/** Returns the id of who is signed in: a person or an API key. */
export function idOf({ apiKey, person }: Viewer): string | undefined {
  return person?.id ?? apiKey?.id;
}

/** Returns whether who is signed in has a scope, such as `ip-policies:write`. */
export function useCan(scope: string): boolean {
  const { scopes } = useViewer();
  return allows(scopes, scope);
}
