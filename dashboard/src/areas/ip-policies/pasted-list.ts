// Lists that are pasted on the page of a policy, wherever the focus is.

import { useEffect, useRef } from 'react';

/** Returns whether what is pasted belongs to a field: all of it, but for lines in a field of one line. */
function isForField(target: EventTarget | null, text: string): boolean {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && (target.type === 'search' || !text.trim().includes('\n'));
}

/** What an address begins with, of either family. */
const address = /\d+(\.\d+){3}|[\da-f]*:[\da-f]*:/i;

/** Calls back with a text with addresses that is pasted outside of the fields of the page, or has more lines than the field. */
export function usePastedList(isOn: boolean, take: (text: string) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (!isOn) return;
    const pasted = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      const isIn = event.target instanceof Element && event.target.closest('[role=dialog]') !== null;
      if (isIn || isForField(event.target, text) || !address.test(text)) return;
      event.preventDefault();
      latest.current(text);
    };
    document.addEventListener('paste', pasted);
    return () => document.removeEventListener('paste', pasted);
  }, [isOn]);
}
