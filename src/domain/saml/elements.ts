// Walks through parsed XML one level at a time, so that nesting costs nothing. Pure.

import type { Element } from '@xmldom/xmldom';
import { namespaces } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';

/** Returns the child elements of an element. */
export function elementsOf(parent: Element): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    // `nodeType` says that the node is an element, but the compiler cannot infer that.
    if (node.nodeType === node.ELEMENT_NODE) found.push(node as Element);
  }
  return found;
}

/** Returns the text directly in an element. Comments do not split it. */
export function textOf(element: Element): string {
  let text = '';
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.TEXT_NODE || node.nodeType === node.CDATA_SECTION_NODE) text += node.nodeValue ?? '';
  }
  return text;
}

/** Returns the value of an attribute; null if there is none. Some programs write an empty one where they have no value. */
export function givenAttribute(element: Element, name: string): string | null {
  return element.getAttribute(name) || null;
}

/** Returns whether an element has a name in a namespace. */
export function isNamed(element: Element, namespace: string, name: string): boolean {
  return element.localName === name && element.namespaceURI === namespace;
}

/** Returns the children with a name in the assertion namespace. */
export function assertionChildren(parent: Element, name: string): Element[] {
  return elementsOf(parent).filter((element) => isNamed(element, namespaces.assertion, name));
}

/** Returns the only child with a name in the assertion namespace. Throws LoginRefusal if there is none or more than one. */
export function onlyChild(parent: Element, name: string, reason: 'malformed' | 'name_id' = 'malformed'): Element {
  const [found, ...others] = assertionChildren(parent, name);
  if (found === undefined || others.length > 0) {
    const count = others.length + (found ? 1 : 0);
    throw new LoginRefusal(reason, `${parent.localName} must have one ${name}; it has ${count}.`);
  }
  return found;
}
