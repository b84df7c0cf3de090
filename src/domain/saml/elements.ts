// Walking in parsed XML, one level at a time, so that nesting costs nothing. Pure.

import type { Element } from '@xmldom/xmldom';

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
