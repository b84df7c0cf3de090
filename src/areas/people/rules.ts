// Validation of sign-in providers: their names and who gets which role. Pure.

import type { RoleMapping } from '../../domain/access/roles.ts';
import { invalid } from '../../domain/errors.ts';
import { checkText } from '../../domain/values/text.ts';

/** Maximum number of mappings of a provider; enforced by the schema. */
export const mappingsMax = 100;
const nameBytesMax = 64;
/** Directories use distinguished names as those of groups. */
const groupBytesMax = 1024;
const emailBytesMax = 320;

/** A mapping as a client gives it; null and undefined are the same. */
export interface GivenMapping {
  readonly group?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly everybody?: boolean | null | undefined;
  readonly role: string;
}

/** Checks the name of a provider, which people see on the page where they sign in. Throws INVALID_INPUT. */
export function checkProviderName(name: string): string {
  if (name.trim() === '') throw invalid('name', 'must not be empty: people see it where they sign in.');
  return checkText('name', name, nameBytesMax);
}

/** Checks who gets which role, except for whether the roles exist. Throws INVALID_INPUT. */
export function checkMappings(given: readonly GivenMapping[]): RoleMapping[] {
  return given.map(({ group, email, everybody, role }, index) => {
    const field = `roleMappings[${index}]`;
    const ways = [group != null && group !== '', email != null && email !== '', everybody === true];
    if (ways.filter((isSet) => isSet).length !== 1) {
      throw invalid(field, 'must have exactly one of: a group, an email, and everybody as true.');
    }
    if (email != null && email !== '' && !/^[^@\s]+@[^@\s]+$/.test(email)) {
      throw invalid(`${field}.email`, 'must be one e-mail address.');
    }
    return {
      group: group ? checkText(`${field}.group`, group, groupBytesMax) : null,
      email: email ? checkText(`${field}.email`, email, emailBytesMax) : null,
      everybody: everybody === true,
      role,
    };
  });
}

/** Providers at which anybody in the world can have an account, by their issuers. */
const openToAll: readonly RegExp[] = [/^https:\/\/accounts\.google\.com$/, /^https:\/\/gitlab\.com$/];

/** Refuses to give a role to everybody whom a provider lets in, if that is the whole world. Throws INVALID_INPUT. */
export function refuseWholeWorld(
  mappings: readonly RoleMapping[],
  { issuer, authorizedEmailDomains }: { readonly issuer: string; readonly authorizedEmailDomains: readonly string[] },
): void {
  if (authorizedEmailDomains.length > 0 || !openToAll.some((form) => form.test(issuer))) return;
  const index = mappings.findIndex(({ everybody }) => everybody);
  if (index === -1) return;
  throw invalid(
    `roleMappings[${index}].everybody`,
    'would let in whoever has an account there, which anybody in the world can have. Set authorizedEmailDomains as well.',
  );
}

/** Most bytes of the groups that are kept of a person. */
const keptGroupsBytesMax = 32 * 1024;

/** Returns the groups to keep of a person: those with a role first, so that none of them is left out where there are very many. */
export function groupsToKeep(groups: readonly string[], mappings: readonly RoleMapping[]): string[] {
  const mapped = new Set(mappings.map(({ group }) => group));
  const ordered = [...groups.filter((group) => mapped.has(group)), ...groups.filter((group) => !mapped.has(group))];
  let bytes = 0;
  return [...new Set(ordered)].filter((group) => {
    bytes += Buffer.byteLength(group) + 3;
    return bytes <= keptGroupsBytesMax;
  });
}
