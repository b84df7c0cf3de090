// Walking in parsed XML, one level at a time, so that nesting costs nothing. Pure.

import type { Element } from '@xmldom/xmldom';
import { namespaces } from './names.ts';
import { LoginRefusal } from './refusal.ts';

/** Finds the elements directly in an element. */
export function elementsOf(parent: Element): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    // The type of a node says whether it is an element; the compiler cannot know.
    if (node.nodeType === node.ELEMENT_NODE) found.push(node as Element);
  }
  return found;
}

/** Gives the whole text directly in an element: comments in it divide nothing. */
export function textOf(element: Element): string {
  let text = '';
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.TEXT_NODE || node.nodeType === node.CDATA_SECTION_NODE) text += node.nodeValue ?? '';
  }
  return text;
}

/** Tells whether an element is one of a name in a namespace. */
export function isNamed(element: Element, namespace: string, name: string): boolean {
  return element.localName === name && element.namespaceURI === namespace;
}

/** Finds the children of a name in the namespace of assertions. */
export function assertionChildren(parent: Element, name: string): Element[] {
  return elementsOf(parent).filter((element) => isNamed(element, namespaces.assertion, name));
}

/** Finds the one child of a name in the namespace of assertions. Throws LoginRefusal for none, and for several. */
export function onlyChild(parent: Element, name: string, reason: 'malformed' | 'name_id' = 'malformed'): Element {
  const [found, ...others] = assertionChildren(parent, name);
  if (found === undefined || others.length > 0) {
    const count = others.length + (found ? 1 : 0);
    throw new LoginRefusal(reason, `${parent.localName} must have one ${name}; it has ${count}.`);
  }
  return found;
}
