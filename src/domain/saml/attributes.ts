// Reads the attributes of a person from an assertion: groups, email address and display name. Pure.

import type { Element } from '@xmldom/xmldom';
import { assertionChildren, textOf } from './elements.ts';
import { nameidFormats } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';

/** A person's attributes from an identity provider. All values are trimmed and free of control characters. */
export interface Person {
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** The names of all attributes that came, the first `attributeNamesMax` of them, for those who look for a group in vain. */
  readonly attributeNames: readonly string[];
}

/**
 * The attributes that contain groups: that of this API, those of directories, and those of Entra ID and AD FS. All that are present
 * count. Capital letters make no difference: `Groups` and `memberof` are what people configure, too.
 */
const groupAttributes = [
  'groups',
  'memberOf',
  'isMemberOf',
  'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
  'Role',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/role',
  'http://schemas.xmlsoap.org/claims/Group',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/role',
];
/** The attributes that contain an email address; the first one present counts. The last is LDAP's `mail`. */
const emailAttributes = [
  'email',
  'mail',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
];
/**
 * The attributes that contain a display name; the first one present counts. The last but one is LDAP's `displayName`; the last one
 * may be the name of an account.
 */
const nameAttributes = [
  'displayName',
  'name',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
];

/** How many names of attributes are kept, and how many characters of each: sessions, and lines of the log, contain them. */
const attributeNamesMax = 30;
const attributeNameCharactersMax = 100;

/** Returns the names of attributes or claims that are kept. */
export function keptNames(names: Iterable<string>): readonly string[] {
  const kept = [...names].map((name) => name.replace(/\p{C}/gu, '\ufffd').slice(0, attributeNameCharactersMax));
  return [...new Set(kept)].slice(0, attributeNamesMax);
}

/** Which attributes count, by name; null for the usual ones, and for the NameID as the subject. */
export type AttributeChoice = Readonly<Record<'subject' | 'email' | 'name' | 'groups', string | null>>;

/** The attributes that count if nothing is chosen. */
export const usualAttributes: AttributeChoice = { subject: null, email: null, name: null, groups: null };

/**
 * Reads the attributes of the person that the assertion's NameID names.
 *
 * @returns also the subject: the NameID, unless an attribute is chosen
 * @throws LoginRefusal if the attribute that is chosen as the subject has not exactly one value
 */
export function readPerson(
  assertion: Element,
  nameId: string,
  nameidFormat: string,
  chosen: AttributeChoice,
): Person & { readonly subject: string } {
  const { values, names } = readAttributes(assertion);
  const valuesOf = (name: string) => values.get(name.toLowerCase()) ?? [];
  const firstOf = (some: readonly string[]) => some.flatMap(valuesOf).at(0) ?? null;
  const [, , emailAddress] = nameidFormats;
  const usualEmail = () => firstOf(emailAttributes) ?? (nameidFormat === emailAddress ? nameId : null);
  const [subject = nameId, ...others] = chosen.subject === null ? [] : valuesOf(chosen.subject);
  if (chosen.subject !== null && (others.length > 0 || valuesOf(chosen.subject).length === 0)) {
    throw new LoginRefusal('name_id', `The attribute ${JSON.stringify(chosen.subject)} has not exactly one value.`);
  }
  return {
    subject,
    email: chosen.email === null ? usualEmail() : firstOf([chosen.email]),
    name: firstOf(chosen.name === null ? nameAttributes : [chosen.name]),
    groups: [...new Set((chosen.groups === null ? groupAttributes : [chosen.groups]).flatMap(valuesOf))],
    attributeNames: keptNames(names),
  };
}

/**
 * Collects the values of attributes by name in lower case, and the names as they came. Some identity providers write a separate
 * attribute for each group.
 */
function readAttributes(assertion: Element) {
  const values = new Map<string, string[]>();
  const names = new Set<string>();
  const statements = assertionChildren(assertion, 'AttributeStatement');
  for (const attribute of statements.flatMap((each) => assertionChildren(each, 'Attribute'))) {
    const name = (attribute.getAttribute('Name') ?? '').trim();
    const texts = assertionChildren(attribute, 'AttributeValue').map((value) => textOf(value).trim());
    const usable = texts.filter((text) => text !== '' && !/\p{Cc}/u.test(text));
    values.set(name.toLowerCase(), [...(values.get(name.toLowerCase()) ?? []), ...usable]);
    names.add(name);
  }
  return { values, names: [...names] };
}
