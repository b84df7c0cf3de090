// The clipboard.

/** Copies a text, even on plain HTTP, where pages have no clipboard API. Returns whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // Inside an open dialog, because the focus cannot leave it.
  const parent = document.querySelector('[role=dialog]') ?? document.body;
  parent.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
