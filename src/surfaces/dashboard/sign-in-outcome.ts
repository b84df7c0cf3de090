// How sign-ins at providers end: what people are told who are not let in, and where the others go.

import { SallyportError } from '../../domain/errors.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';

const namedGroupsMax = 20;

export const blockedText = 'You are kept out of this account. Ask whoever runs it.';

/** Returns what somebody without a role is told: with the groups that came. */
export function noRoleText(person: string, groups: readonly string[]): string {
  const named = groups.slice(0, namedGroupsMax).map((group) => JSON.stringify(group));
  const more = groups.length > namedGroupsMax ? ` and ${groups.length - namedGroupsMax} more` : '';
  const came = groups.length === 0 ? 'It named no groups.' : `It named these groups: ${named.join(', ')}${more}.`;
  return `The provider knows you as ${person}, but nothing that it says gives you a role here. ${came} Ask whoever runs this account to give one of them a role.`;
}

/** Returns where to go after the sign-in: a page below the dashboard, without anything that a browser takes for another place. */
export function readTarget(given: string | null): string {
  const isPage = given !== null && given.length <= 1_000 && /^[a-z0-9][\w\-./?=&%+,~]*$/i.test(given);
  return isPage && !given.includes('//') && !given.includes('..') ? given : '';
}

/** Longest reason of a refusal in the trail, in bytes. */
export const reasonBytesMax = 300;

/** Creates the refusal for a step of one protocol at a provider of the other. */
export function otherProtocol(): LoginRefusal {
  return new LoginRefusal('state', 'The provider is one of another protocol.');
}

/** Creates the error for a provider that there is not, or that is disabled. */
export function nobodyHere(): SallyportError {
  return new SallyportError('NOT_FOUND', 'Nobody signs in here.');
}
