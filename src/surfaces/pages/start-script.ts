// The start page's script for the browser. Without it, the page reads the same, but has no status and no copy buttons.

export const startScript = `
const status = document.getElementById('status');
const show = (text, look) => {
  // Said aloud by screen readers whenever it is set, so only when it changes.
  if (status.textContent === text) return;
  status.textContent = text;
  status.className = 'status ' + look;
};
const look = async () => {
  if (document.hidden) return;
  try {
    const { ok } = await fetch('/readyz', { cache: 'no-store' });
    if (ok) show('Ready', 'ready');
    else show('Not ready', 'failing');
  } catch {
    show('Unreachable', 'failing');
  }
};
look();
setInterval(look, 5000);
document.addEventListener('visibilitychange', look);

for (const button of document.querySelectorAll('.call button')) {
  const text = button.closest('.call').querySelector('code');
  button.hidden = false;
  button.addEventListener('click', async () => {
    const copied = await copy(text).catch(() => false);
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
// Browsers have a clipboard only for pages that came by HTTPS or from this machine; the old command works everywhere.
async function copy(element) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  }
  getSelection().selectAllChildren(element);
  return document.execCommand('copy');
}
`;
