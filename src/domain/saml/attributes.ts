// Reads the attributes of a person from an assertion: groups, email address and display name. Pure.

import type { Element } from '@xmldom/xmldom';
import { assertionChildren, textOf } from './elements.ts';
import { nameidFormats } from './names.ts';

/** A person's attributes from an identity provider. All values are trimmed and free of control characters. */
export interface Person {
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
}

/** The attributes that contain groups: those of this API, of directories, of Entra ID and of AD FS. */
export const groupAttributes = [
  'groups',
  'memberOf',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  'http://schemas.xmlsoap.org/claims/Group',
];
/** The attributes that contain an email address; the first one present counts. The last is LDAP's `mail`. */
const emailAttributes = [
  'email',
  'mail',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
];
/** The attributes that contain a display name; the first one present counts. The last is LDAP's `displayName`. */
const nameAttributes = [
  'displayName',
  'name',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
];

/** Reads the attributes of the person that the assertion's NameID names. */
export function readPerson(assertion: Element, nameId: string, nameidFormat: string): Person {
  const values = valuesByName(assertion);
  const firstOf = (names: readonly string[]) => names.flatMap((name) => values.get(name) ?? []).at(0) ?? null;
  const [, , emailAddress] = nameidFormats;
  return {
    email: firstOf(emailAttributes) ?? (nameidFormat === emailAddress ? nameId : null),
    name: firstOf(nameAttributes),
    groups: [...new Set(groupAttributes.flatMap((name) => values.get(name) ?? []))],
  };
}

/** Collects the values of attributes by name. Some identity providers write a separate attribute for each group. */
function valuesByName(assertion: Element): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const statements = assertionChildren(assertion, 'AttributeStatement');
  for (const attribute of statements.flatMap((each) => assertionChildren(each, 'Attribute'))) {
    const name = attribute.getAttribute('Name') ?? '';
    const texts = assertionChildren(attribute, 'AttributeValue').map((value) => textOf(value).trim());
    const usable = texts.filter((text) => text !== '' && !/\p{Cc}/u.test(text));
    values.set(name, [...(values.get(name) ?? []), ...usable]);
  }
  return values;
}
